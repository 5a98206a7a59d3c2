/* Images and arrays in files, as programs in the style of NVIDIA's samples read, write and compare them: portable grey and pixel maps of 8 bits
   (PGM P5, PPM P6; netpbm's description of the formats), numbers as text, and raw bytes. */
#pragma once
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fstream>
#include <iostream>
#include <vector>
#include <helper_string.h>

#ifndef MIN_EPSILON_ERROR
#define MIN_EPSILON_ERROR 1e-3f
#endif

namespace warploom_samples {
/* The next number of a header, behind blanks and comments. */
inline bool header_number(FILE *file, unsigned int *number)
{
    int c = fgetc(file);
    while (isspace(c) || c == '#') {
        while (c == '#') {
            while (c != '\n' && c != EOF) c = fgetc(file);
        }
        c = fgetc(file);
    }
    ungetc(c, file);
    return fscanf(file, "%u", number) == 1;
}
/* Bytes of an image, its extents and its channels: 1 for a PGM, 3 for a PPM. */
inline bool load(const char *path, std::vector<unsigned char> *bytes, unsigned int *width, unsigned int *height, unsigned int *channels)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file) {
        std::cerr << "cannot open the image " << (path ? path : "(null)") << std::endl;
        return false;
    }
    char kind[3] = "";
    unsigned int most = 0;
    bool good = fread(kind, 1, 2, file) == 2 && kind[0] == 'P' && (kind[1] == '5' || kind[1] == '6') && header_number(file, width) &&
                header_number(file, height) && header_number(file, &most) && most > 0 && most < 256;
    if (good) {
        fgetc(file); /* one blank */
        *channels = kind[1] == '5' ? 1 : 3;
        bytes->resize((size_t)*width * *height * *channels);
        good = fread(bytes->data(), 1, bytes->size(), file) == bytes->size();
    }
    if (!good) std::cerr << path << " is not an image of 8 bits a channel in PGM or PPM" << std::endl;
    fclose(file);
    return good;
}
inline bool save(const char *path, const unsigned char *bytes, unsigned int width, unsigned int height, unsigned int channels)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        std::cerr << "cannot write the image " << path << std::endl;
        return false;
    }
    fprintf(file, "P%c\n%u\n%u\n255\n", channels == 1 ? '5' : '6', width, height);
    size_t size = (size_t)width * height * channels;
    bool good = fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && good;
}
template <class T> struct Channel {
    static T of(unsigned char byte) { return (T)byte; }
    static unsigned char byte(T value) { return (unsigned char)value; }
};
template <> struct Channel<float> {
    static float of(unsigned char byte) { return byte / 255.0f; }
    static unsigned char byte(float value) { return (unsigned char)(value * 255.0f); }
};
/* An image into an array that is there, or a new one; `to` channels a pixel, of which a fourth is 0. */
template <class T> inline bool load_as(const char *path, T **data, unsigned int *width, unsigned int *height, unsigned int to)
{
    std::vector<unsigned char> bytes;
    unsigned int w = 0, h = 0, from = 0;
    if (!load(path, &bytes, &w, &h, &from)) return false;
    if (!*data) *data = (T *)malloc(sizeof(T) * w * h * to);
    *width = w;
    *height = h;
    for (size_t pixel = 0; pixel < (size_t)w * h; pixel++)
        for (unsigned int k = 0; k < to; k++)
            (*data)[pixel * to + k] = k == 3 ? T(0) : Channel<T>::of(bytes[pixel * from + (from == 1 ? 0 : k)]);
    return true;
}
template <class T> inline bool save_as(const char *path, const T *data, unsigned int width, unsigned int height, unsigned int from, unsigned int to)
{
    std::vector<unsigned char> bytes((size_t)width * height * to);
    for (size_t pixel = 0; pixel < (size_t)width * height; pixel++)
        for (unsigned int k = 0; k < to; k++) bytes[pixel * to + k] = Channel<T>::byte(data[pixel * from + k]);
    return save(path, bytes.data(), width, height, to);
}
inline bool read_bytes(const char *path, const char *folder, std::vector<char> *bytes)
{
    char *found = sdkFindFilePath(path, folder);
    std::ifstream file(found ? found : path, std::ios::binary);
    bytes->assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    return (bool)file || file.eof();
}
/* Whether all but a share `threshold` of numbers differ by no more than epsilon. */
template <class T, class S> inline bool alike(const T *reference, const T *data, size_t count, S epsilon, float threshold)
{
    size_t wrong = 0;
    for (size_t k = 0; k < count; k++) {
        double difference = (double)reference[k] - (double)data[k];
        if (!(difference <= (double)epsilon && difference >= -(double)epsilon)) wrong++;
    }
    return threshold == 0.0f ? wrong == 0 : (double)wrong <= (double)count * threshold;
}
inline bool images_alike(const char *data, const char *reference, float epsilon, float threshold)
{
    std::vector<unsigned char> one, other;
    unsigned int size[2][3] = {};
    if (!load(data, &one, &size[0][0], &size[0][1], &size[0][2]) || !load(reference, &other, &size[1][0], &size[1][1], &size[1][2])) return false;
    return memcmp(size[0], size[1], sizeof size[0]) == 0 && alike(other.data(), one.data(), one.size(), epsilon, threshold);
}
template <class T> inline bool files_alike(const char *data, const char *reference, size_t count, double epsilon, float threshold, const char *folder)
{
    std::vector<char> one, other;
    if (!read_bytes(data, folder, &one) || !read_bytes(reference, folder, &other)) return false;
    if (one.size() < count * sizeof(T) || other.size() < count * sizeof(T)) return false;
    return alike((const T *)other.data(), (const T *)one.data(), count, epsilon, threshold);
}
} // namespace warploom_samples

template <class T> inline bool sdkLoadPGM(const char *path, T **data, unsigned int *w, unsigned int *h) { return warploom_samples::load_as(path, data, w, h, 1); }
template <class T> inline bool sdkSavePGM(const char *path, T *data, unsigned int w, unsigned int h) { return warploom_samples::save_as(path, data, w, h, 1, 1); }
template <class T> inline bool sdkLoadPPM4(const char *path, T **data, unsigned int *w, unsigned int *h) { return warploom_samples::load_as(path, data, w, h, 4); }
inline bool sdkLoadPPM4ub(const char *path, unsigned char **data, unsigned int *w, unsigned int *h) { return warploom_samples::load_as(path, data, w, h, 4); }
inline bool sdkLoadPPMub(const char *path, unsigned char **data, unsigned int *w, unsigned int *h) { return warploom_samples::load_as(path, data, w, h, 3); }
inline bool sdkSavePPM4ub(const char *path, unsigned char *data, unsigned int w, unsigned int h) { return warploom_samples::save_as(path, data, w, h, 4, 3); }
inline bool sdkSavePPMub(const char *path, unsigned char *data, unsigned int w, unsigned int h) { return warploom_samples::save_as(path, data, w, h, 3, 3); }
inline bool sdkComparePPM(const char *data, const char *reference, float epsilon, float threshold, bool = false) { return warploom_samples::images_alike(data, reference, epsilon, threshold); }
inline bool sdkComparePGM(const char *data, const char *reference, float epsilon, float threshold, bool = false) { return warploom_samples::images_alike(data, reference, epsilon, threshold); }

/* Numbers as text: a comment, then the numbers. */
template <class T> inline bool sdkReadFile(const char *path, T **data, unsigned int *length, bool)
{
    std::ifstream file(path ? path : "");
    if (!file) return false;
    std::vector<T> found;
    std::string word;
    while (file.peek() == '#') std::getline(file, word);
    for (T value; file >> value;) found.push_back(value);
    if (*data && *length != found.size()) return false;
    if (!*data) {
        *data = (T *)malloc(sizeof(T) * found.size());
        *length = (unsigned int)found.size();
    }
    memcpy(*data, found.data(), sizeof(T) * found.size());
    return true;
}
template <class T, class S> inline bool sdkWriteFile(const char *path, const T *data, unsigned int length, const S epsilon, bool, bool append = false)
{
    std::ofstream file(path ? path : "", append ? std::ios::app : std::ios::trunc);
    if (!file) return false;
    if (!append) file << "# " << epsilon << "\n";
    for (unsigned int k = 0; k < length; k++) file << data[k] << ' ';
    file << "\n";
    return (bool)file;
}
inline bool sdkWriteFilef(const char *path, const float *data, unsigned int length, const float epsilon, bool verbose, bool append = false) { return sdkWriteFile(path, data, length, epsilon, verbose, append); }

inline void sdkDumpBin(void *data, unsigned int bytes, const char *path)
{
    std::ofstream file(path, std::ios::binary);
    file.write((const char *)data, bytes);
}
inline void sdkDumpBin2(void *data, unsigned int bytes, const char *path) { sdkDumpBin(data, bytes, path); }
inline bool sdkCompareBin2BinFloat(const char *data, const char *reference, unsigned int count, const float epsilon, const float threshold, char *folder)
{
    return warploom_samples::files_alike<float>(data, reference, count, epsilon, threshold, folder);
}
inline bool sdkCompareBin2BinUint(const char *data, const char *reference, unsigned int count, const float epsilon, const float threshold, char *folder)
{
    return warploom_samples::files_alike<unsigned int>(data, reference, count, epsilon, threshold, folder);
}
template <class T, class S> inline bool compareDataAsFloatThreshold(const T *reference, const T *data, const unsigned int length, const S epsilon, const float threshold)
{
    return warploom_samples::alike(reference, data, length, epsilon, threshold);
}
template <class T> inline bool compareData(const T *reference, const T *data, const unsigned int length, const T epsilon, const float threshold)
{
    unsigned int wrong = 0;
    for (unsigned int k = 0; k < length; k++) {
        double difference = (double)reference[k] - (double)data[k];
        if (!(difference <= epsilon && difference >= -(double)epsilon)) wrong++;
    }
    return threshold == 0 ? wrong == 0 : length * threshold > wrong;
}
inline bool sdkCompareL2fe(const float *reference, const float *data, const unsigned int length, const float epsilon)
{
    double error = 0, norm = 0;
    for (unsigned int k = 0; k < length; k++) {
        error += ((double)reference[k] - data[k]) * ((double)reference[k] - data[k]);
        norm += (double)reference[k] * reference[k];
    }
    return sqrt(norm) >= 1e-7 && sqrt(error) / sqrt(norm) < epsilon;
}
