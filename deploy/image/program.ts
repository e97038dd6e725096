/** Runs a program to its end; what it wrote is in the error if it fails. */
export const runProgram = async (
  command: string[],
  options: { cwd?: string; env?: Record<string, string>; input?: string } = {},
): Promise<string> => {
  const { input, ...others } = options;
  const child = Bun.spawn(command, {
    ...others,
    stdin: input === undefined ? 'ignore' : new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, problem, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) {
    throw new Error(
      `${command.join(' ')} ended with ${code}:\n${output.slice(-2000)}${problem.slice(-4000)}`,
    );
  }
  return output;
};
