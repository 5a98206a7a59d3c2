/* Words of a command line, as programs in the style of NVIDIA's samples take them: -name=value. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <string>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define STRCPY(to, bytes, from) strcpy(to, from)
#define SPRINTF sprintf
#define FOPEN(file, name, mode) (file = fopen(name, mode))
#define FOPEN_FAIL(result) (result == NULL)
#define SSCANF sscanf

inline int stringRemoveDelimiter(char delimiter, const char *text)
{
    int start = 0;
    while (text[start] == delimiter) start++;
    return start >= (int)strlen(text) - 1 ? 0 : start;
}
/* What follows -name= or --name=; "" for -name alone; null where it is not there. */
inline const char *warploom_flag(int argc, const char **argv, const char *name)
{
    for (int k = 1; k < argc; k++) {
        const char *text = argv[k];
        if (*text != '-') continue;
        while (*text == '-') text++;
        size_t length = strlen(name);
        if (strncasecmp(text, name, length) == 0 && (text[length] == 0 || text[length] == '=')) return text[length] ? text + length + 1 : text + length;
    }
    return NULL;
}
inline bool checkCmdLineFlag(const int argc, const char **argv, const char *name) { return warploom_flag(argc, argv, name) != NULL; }
inline int getCmdLineArgumentInt(const int argc, const char **argv, const char *name)
{
    const char *found = warploom_flag(argc, argv, name);
    return found ? atoi(found) : 0;
}
inline float getCmdLineArgumentFloat(const int argc, const char **argv, const char *name)
{
    const char *found = warploom_flag(argc, argv, name);
    return found ? (float)atof(found) : 0;
}
template <class T> inline bool getCmdLineArgumentValue(const int argc, const char **argv, const char *name, T *value)
{
    const char *found = warploom_flag(argc, argv, name);
    if (found) *value = (T)atoi(found);
    return found != NULL;
}
inline bool getCmdLineArgumentString(const int argc, const char **argv, const char *name, char **value)
{
    const char *found = warploom_flag(argc, argv, name);
    *value = found ? (char *)found : NULL;
    return found != NULL;
}
/* A file in the current folder, in data/ or beside the program. */
inline char *sdkFindFilePath(const char *name, const char *program)
{
    std::string folder = program ? program : "";
    folder = folder.substr(0, folder.find_last_of('/') == std::string::npos ? 0 : folder.find_last_of('/') + 1);
    for (const std::string &place : {std::string(), std::string("data/"), folder, folder + "data/", std::string("../"), std::string("../data/")}) {
        std::string path = place + name;
        if (FILE *file = fopen(path.c_str(), "rb")) {
            fclose(file);
            return strdup(path.c_str());
        }
    }
    return NULL;
}
