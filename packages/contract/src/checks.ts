/**
 * What pages check while somebody types, and say. It needs no validator, so the dashboard can bundle it: it is
 * imported as `@holdfast/contract/checks`.
 */

import type { Scope } from './scopes.ts';

export { type NotStoppedCode, notStoppedTexts } from './not-stopped.ts';

export const largestUploadBytes = 2 * 1024 * 1024;

/** What WCAG 2.2 demands of normal text. */
export const leastContrast = 4.5;

/** The contrast of two colours such as `#5B6B7F`, by WCAG: from 1 to 21. */
export const contrast = (one: string, other: string): number => {
  const [lighter = 0, darker = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
};

const luminanceOf = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

export const colorPattern = /^#[0-9A-Fa-f]{6}$/;

/** Why the buttons of a page cannot have this colour; undefined where they can. */
export const accentProblem = (color: string): string | undefined => {
  if (!colorPattern.test(color)) return 'Must be a colour such as #2F5D62';
  return contrast(color, '#FFFFFF') < leastContrast
    ? `White text on it must have a contrast of at least ${leastContrast}: choose a darker colour`
    : undefined;
};

/**
 * Worth an account, its money or further keys: a program gets them only where it asks for them by name, and the page
 * on which its owner decides shows them apart.
 */
export const gravestScopes = [
  'account:delete',
  'marketplace:payout',
  'api-keys:write',
] as const satisfies readonly Scope[];

/** How many days a key that a program gets by its code can be valid. */
export const keyDays = [7, 30, 90, 365] as const;
export const defaultKeyDays = 90;
