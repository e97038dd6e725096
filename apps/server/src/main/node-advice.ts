const wanted = 22;

/**
 * What to say about the Node that runs npm, told by npm itself. Holdfast runs in Bun, so an older Node
 * does no harm today; undefined where there is nothing to say.
 */
export const adviseOnNode = (npmUserAgent: string | undefined): string | undefined => {
  const major = /\bnode\/v(\d+)\./.exec(npmUserAgent ?? '')?.[1];
  if (major === undefined || Number(major) >= wanted) return undefined;
  return `npm runs on Node ${major}. Holdfast works with it, and would rather have Node ${wanted} or later.`;
};
