/* A vertex shader in C: include this, and write
     shaded_t vertex(const vertex_t *v, const uniforms_t *u) { return at(v, u, to_world(u, v->position)); }
   It is called for each vertex of a mesh, and says where it is in clip space and what pixels are interpolated from. On a machine a task
   shades a vertex; with WARPLOOM_HOST it becomes a library of the host. Products and sums are rounded one by one, so both agree. */
#ifndef WARPLOOM_VERTEX_H
#define WARPLOOM_VERTEX_H
#include <warploom_vectors.h>
#ifndef WARPLOOM_HOST
#include <vx_intrinsics.h>
#include <vx_spawn.h>
#endif
#pragma clang fp contract(off)

/* A vertex as the mesh has it. */
typedef struct {
  vec3 position, normal; /* of the mesh, before its transform; normal 0 where the mesh has none */
  vec2 uv;
  vec4 color;            /* white where the mesh has none */
  int index;             /* its number in the mesh */
} vertex_t;

/* What a vertex shader gives. */
typedef struct {
  vec4 position;         /* in clip space: in the picture where -w <= x, y <= w and 0 <= z <= w */
  vec3 world, normal;    /* in the world */
  vec2 uv;
  vec4 color;
} shaded_t;

/* What is the same for all vertices of a draw call: words, as graphics/host/vertices.py writes them. Matrices are rows. */
typedef struct {
  float world[12], normals[9], clip[16]; /* from the mesh to the world, its normals too; from the world to clip space */
  float light[3], eye[3];                /* towards the lamp, of length 1; where the camera stands */
  float strength, ambient;               /* of the lamp; of light from everywhere */
  int width, height;                     /* of the picture */
  float own[16];                         /* the pipeline's uniforms, one after the other as they were given */
} uniforms_t;

static shaded_t vertex(const vertex_t *v, const uniforms_t *u);

WARPLOOM_INLINE float warploom_row(const float *row, vec3 a) { return row[0] * a.x + row[1] * a.y + row[2] * a.z; }
/* A place of the mesh in the world; a normal there; a place of the world in clip space. */
WARPLOOM_INLINE vec3 to_world(const uniforms_t *u, vec3 a) {
  return (vec3){warploom_row(u->world, a) + u->world[3], warploom_row(u->world + 4, a) + u->world[7], warploom_row(u->world + 8, a) + u->world[11]};
}
WARPLOOM_INLINE vec3 turned(const uniforms_t *u, vec3 a) {
  return (vec3){warploom_row(u->normals, a), warploom_row(u->normals + 3, a), warploom_row(u->normals + 6, a)};
}
WARPLOOM_INLINE vec4 to_clip(const uniforms_t *u, vec3 a) {
  return (vec4){warploom_row(u->clip, a) + u->clip[3], warploom_row(u->clip + 4, a) + u->clip[7], warploom_row(u->clip + 8, a) + u->clip[11],
                warploom_row(u->clip + 12, a) + u->clip[15]};
}
/* The vertex at a place of the world, all else as the mesh has it. */
WARPLOOM_INLINE shaded_t at(const vertex_t *v, const uniforms_t *u, vec3 world) {
  return (shaded_t){to_clip(u, world), world, turned(u, v->normal), v->uv, v->color};
}

/* ---- what is around a shader */

#define WARPLOOM_GIVEN 12 /* floats of a vertex: position, normal, uv, color */
#define WARPLOOM_MADE 16  /* position, world, normal, uv, color */

static void warploom_vertex(const float *given, float *made, int index, const uniforms_t *u) {
  const float *g = given + WARPLOOM_GIVEN * index;
  float *m = made + WARPLOOM_MADE * index;
  vertex_t v = {{g[0], g[1], g[2]}, {g[3], g[4], g[5]}, {g[6], g[7]}, {g[8], g[9], g[10], g[11]}, index};
  shaded_t s = vertex(&v, u);
  m[0] = s.position.x, m[1] = s.position.y, m[2] = s.position.z, m[3] = s.position.w;
  m[4] = s.world.x, m[5] = s.world.y, m[6] = s.world.z, m[7] = s.normal.x, m[8] = s.normal.y, m[9] = s.normal.z;
  m[10] = s.uv.x, m[11] = s.uv.y, m[12] = s.color.x, m[13] = s.color.y, m[14] = s.color.z, m[15] = s.color.w;
}

#ifdef WARPLOOM_HOST
__attribute__((visibility("default"))) void warploom_vertices(const float *given, float *made, int count, const uniforms_t *u) {
  for (int index = 0; index < count; ++index) warploom_vertex(given, made, index, u);
}
#else
typedef struct { const float *given; float *made; int count; const uniforms_t *u; } warploom_work_t;
static void warploom_task(int task, void *argument) {
  const warploom_work_t *work = argument;
  warploom_vertex(work->given, work->made, task, work->u);
}
int main(void *argument) {
  vx_spawn_tasks(((const warploom_work_t *)argument)->count, warploom_task, argument);
  return 0;
}
#endif
#endif
