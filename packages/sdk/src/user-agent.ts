import { readVersion } from './contract-macros.ts' with { type: 'macro' };

/**
 * Such as `holdfast-sdk/1.0.0 (node 22.23.3)`, after the name of the program that uses it. Undefined in
 * browsers, which send their own.
 */
export const userAgentOf = (program?: string): string | undefined => {
  const runtime = runtimeOf(globalThis.process?.versions);
  if (runtime === undefined) return undefined;
  return [program, `holdfast-sdk/${readVersion()} (${runtime})`].filter(Boolean).join(' ');
};

/** Bun and Deno also name the version of Node that they resemble. */
const runtimeOf = (versions: Record<string, string | undefined> = {}): string | undefined => {
  const name = ['bun', 'deno', 'node'].find((known) => versions[known] !== undefined);
  return name && `${name} ${versions[name]}`;
};
