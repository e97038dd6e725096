const recommendedMajor = 22;

/**
 * A hint if npm runs on an old Node, as npm's user agent says. Holdfast itself runs in Bun, so an older
 * Node works.
 */
export const adviseOnNode = (npmUserAgent: string | undefined): string | undefined => {
  const major = /\bnode\/v(\d+)\./.exec(npmUserAgent ?? '')?.[1];
  if (major === undefined || Number(major) >= recommendedMajor) return undefined;
  return `npm runs on Node ${major}. Holdfast works with it, and would rather have Node ${recommendedMajor} or later.`;
};
