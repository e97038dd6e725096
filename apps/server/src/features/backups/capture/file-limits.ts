/** What is kept of the files in messages. */
export type FileLimits = { largestFileBytes: number; bytesPerBackup: number };

const mebibyte = 1024 * 1024;

/** A file above 10 MiB can be posted again only in a boosted server. */
export const defaultFileLimits: FileLimits = {
  largestFileBytes: 10 * mebibyte,
  bytesPerBackup: 256 * mebibyte,
};

export const inMebibytes = (bytes: number): number => Math.floor(bytes / mebibyte);
