/** What a call to the file system gives, or undefined where there is no such file. Any other failure stays one. */
export const unlessMissing = async <Result>(call: Promise<Result>): Promise<Result | undefined> => {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};
