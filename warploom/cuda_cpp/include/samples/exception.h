/* Exceptions that say where they were thrown, in the style of NVIDIA's samples. */
#pragma once
#include <iostream>
#include <stdexcept>
#include <stdlib.h>
template <class Base> class Exception : public Base {
  public:
    Exception(const std::string &what) : Base(what) {}
    static void throw_it(const char *file, const int line, const char *detailed)
    {
        throw Exception(std::string("Exception in file '") + file + "' in line " + std::to_string(line) + "\nDetailed description: " + detailed + "\n");
    }
};
template <class Thrown> inline void handleException(const Thrown &error) { std::cerr << error.what() << std::endl; exit(EXIT_FAILURE); }
#define RUNTIME_EXCEPTION(message) Exception<std::runtime_error>::throw_it(__FILE__, __LINE__, message)
#define LOGIC_EXCEPTION(message) Exception<std::logic_error>::throw_it(__FILE__, __LINE__, message)
