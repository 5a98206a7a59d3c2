// Of a program of several files: rows of the page, from 1, and the numbers that lines have in their own files.

/** The number of a row in its own file; 0 of a row that is a file's path. */
export function numberOf(program, row) {
  return program.numbers[row - 1] ?? row;
}

/** The row of a line: of several files one that has become code, if there is one; 0 where there is none. */
export function rowOf(program, number) {
  const { numbers, source, instructions } = program;
  if (!numbers.length) return number <= source.length || !source.length ? number : 0;
  return instructions.find(({ line }) => line && numbers[line - 1] === number)?.line ?? numbers.indexOf(number) + 1;
}
