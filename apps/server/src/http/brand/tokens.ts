/**
 * The design tokens: every page of the service takes its colours, type scale and corners from here, the
 * dashboard too. One accent, with a lighter twin for dark backgrounds. Text has a contrast of at least 4.5
 * on `ground`, `paper` and `surface`.
 */
const light = {
  ground: '#eef1ee',
  paper: '#fcfcfa',
  surface: '#f2f5f2',
  line: '#d3dad5',
  ink: '#17232c',
  quiet: '#52606a',
  accent: '#0f5f66',
  'accent-hover': '#0a4b51',
  'on-accent': '#ffffff',
  'accent-soft': '#dbebe9',
  good: '#1f6b3a',
  bad: '#a32f38',
};

const dark: Record<keyof typeof light, string> = {
  ground: '#0d1215',
  paper: '#141a1f',
  surface: '#1c242a',
  line: '#323e47',
  ink: '#e1e8ec',
  quiet: '#a3b2bc',
  accent: '#7accca',
  'accent-hover': '#9adcda',
  'on-accent': '#08262a',
  'accent-soft': '#16363a',
  good: '#7fd19b',
  bad: '#f3a0a0',
};

/** The same in light and dark. Sizes grow by about a fifth from one to the next. */
const shared = {
  sans: 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  display: '"Holdfast Display", system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  mono: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  'text-small': '0.875rem',
  'text-large': '1.15rem',
  'title-small': '1.25rem',
  'title-medium': 'clamp(1.4rem, 1.3rem + 0.5vw, 1.6rem)',
  'title-large': 'clamp(1.85rem, 1.5rem + 1.6vw, 2.6rem)',
  'title-huge': 'clamp(2.6rem, 1.7rem + 4.2vw, 4.6rem)',
  'radius-small': '8px',
  'radius-medium': '12px',
  'radius-large': '18px',
};

const declarations = (tokens: Record<string, string>): string =>
  Object.entries(tokens)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');

/** Shown only where it arrives in time, so that no text moves when it does. */
const fontFace = (url: string): string =>
  `@font-face{font-family:"Holdfast Display";src:url(${url}) format("woff2");font-weight:600 800;font-display:optional;unicode-range:U+0000-00FF,U+0131,U+0152-0153,U+02C6,U+02DA,U+02DC,U+2000-206F,U+20AC,U+2122,U+2212}`;

/** For pages that follow the browser's colour scheme. */
export const tokenSheet = (fontUrl: string): string =>
  [
    fontFace(fontUrl),
    `:root{color-scheme:light dark;${declarations({ ...shared, ...light })}}`,
    `@media (prefers-color-scheme:dark){:root{${declarations(dark)}}}`,
    '',
  ].join('\n');

/** For the dashboard, where people can choose a scheme other than the browser's. */
export const dashboardTokenSheet = (fontUrl: string): string =>
  [
    tokenSheet(fontUrl),
    `:root[data-mantine-color-scheme=light]{${declarations(light)}}`,
    `:root[data-mantine-color-scheme=dark]{${declarations(dark)}}`,
    '',
  ].join('\n');

export const themeColors = { light: light.paper, dark: dark.paper };
