import { contrast, leastContrast } from '@holdfast/contract';
import { type Asset, makeAsset, sendAsset } from '../../../http/assets.ts';
import { themeColors } from '../../../http/brand/tokens.ts';
import { type PageRequest, visitPath } from '../pages/page-context.ts';
import type { VerificationServer } from '../queries/servers.ts';

type Worn = Pick<VerificationServer, 'id' | 'accent' | 'backgroundToken'> & {
  /** The style of a preview, in place of the stored one. */
  previewStyle?: string;
};

export const sendPageStyle = ({ context, server }: PageRequest) =>
  sendAsset(context, styleOf(server));

/** The address of the server's own style, where it has one. */
export const pageStylePath = (server: Worn): string | undefined =>
  server.previewStyle ??
  (server.accent === null && server.backgroundToken === null
    ? undefined
    : `${visitPath(server.id)}/style.css?v=${styleOf(server).hash}`);

const styleOf = (worn: Worn): Asset => makeAsset('text/css', styleTextOf(worn));

export const styleTextOf = ({
  accent,
  backgroundToken,
}: Pick<Worn, 'accent' | 'backgroundToken'>): string =>
  [accent && accentStyle(accent), backgroundToken && backgroundStyle(backgroundToken), footerStyle]
    .filter(Boolean)
    .join('\n');

const white = '#ffffff';
const black = '#000000';
const darkInk = '#0b1216';

/** On white the accent has the contrast that the contract demands; dark pages have an accent of their own. */
const accentStyle = (accent: string): string => {
  const dark = darkVariantOf(accent);
  return `:root {
  --paper: ${white};
  --accent: ${accent};
  --accent-hover: ${mix(accent, black, hoverShare)};
  --on-accent: ${white};
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: ${themeColors.dark};
    --accent: ${dark};
    --accent-hover: ${mix(dark, white, hoverShare)};
    --on-accent: ${darkInk};
  }
}`;
};

const hoverShare = 0.15;

/** Its text and link are readable on the colour of the card, whatever is behind. */
const footerStyle = `footer {
  padding: 0.25rem 0.75rem;
  border-radius: 10px;
  background: var(--paper);
}`;

/** Behind everything, without moving when the page scrolls; text stands on the card alone. */
const backgroundStyle = (token: string): string => `body::before {
  content: "";
  position: fixed;
  inset: 0;
  z-index: -1;
  background: var(--ground) url("/uploads/${token}.webp") center / cover no-repeat;
}`;

/** The same hue, as much lighter as links on a dark card need. */
export const darkVariantOf = (accent: string): string => {
  for (let share = 0; share < 1; share += 0.02) {
    const lighter = mix(accent, white, share);
    if (contrast(lighter, themeColors.dark) >= leastContrast) return lighter;
  }
  return white;
};

const mix = (one: string, other: string, share: number): string =>
  `#${[1, 3, 5]
    .map((at) => {
      const [from, to] = [one, other].map((color) => Number.parseInt(color.slice(at, at + 2), 16));
      const mixed = Math.round((from ?? 0) * (1 - share) + (to ?? 0) * share);
      return mixed.toString(16).padStart(2, '0');
    })
    .join('')}`;
