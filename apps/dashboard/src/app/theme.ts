import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/**
 * Shades of the accent. The colours and fonts themselves are design tokens, which the service serves to
 * all its pages: here they are variables.
 */
const tide: MantineColorsTuple = [
  '#e6f5f5',
  '#d2e9e9',
  '#a6d3d3',
  '#76bcbc',
  '#4fa8a9',
  '#349c9d',
  '#1b8081',
  '#0f6a6c',
  '#0f5f66',
  '#074a4f',
];

/** Greys of the tokens' hue, from text to the darkest background. */
const dark: MantineColorsTuple = [
  '#e1e8ec',
  '#c3ced5',
  '#a3b2bc',
  '#6d7c87',
  '#323e47',
  '#2a343b',
  '#1c242a',
  '#141a1f',
  '#0f1418',
  '#0d1215',
];

export const theme = createTheme({
  colors: { tide, dark },
  primaryColor: 'tide',
  primaryShade: { light: 8, dark: 4 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  headings: { fontFamily: 'var(--display)', fontWeight: '700', textWrap: 'balance' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Badge: { defaultProps: { variant: 'light', tt: 'none' } },
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    // The header of a dialog must not count as the banner of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
  },
});

/** The tokens have a value for each scheme, but Mantine's own rules for a scheme are more specific. */
const fromTokens = {
  '--mantine-color-dimmed': 'var(--quiet)',
  '--mantine-color-placeholder': 'var(--quiet)',
  '--mantine-color-body': 'var(--paper)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-default-border': 'var(--line)',
  '--mantine-color-anchor': 'var(--accent)',
  '--control-edge': 'color-mix(in srgb, var(--quiet) 75%, var(--paper))',
  '--mantine-color-tide-light': 'var(--accent-soft)',
  '--mantine-color-tide-light-color': 'var(--accent)',
  '--mantine-primary-color-light': 'var(--accent-soft)',
  '--mantine-primary-color-light-color': 'var(--accent)',
};

const tinted = (color: string, percent: number): string =>
  `color-mix(in srgb, var(--mantine-color-${color}-6) ${percent}%, var(--paper))`;

const variablesOf = (parts: (color: string) => Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    ['red', 'orange', 'yellow', 'green', 'blue', 'gray'].flatMap((color) =>
      Object.entries(parts(color)).map(([part, value]) => [
        `--mantine-color-${color}-${part}`,
        value,
      ]),
    ),
  );

/** Tinted backgrounds: the default ones are louder than what is written on them. */
const tintsInLight = variablesOf((color) => ({
  light: tinted(color, 11),
  'light-hover': tinted(color, 18),
}));

const tintsInDark = variablesOf((color) => ({
  light: tinted(color, 16),
  'light-hover': tinted(color, 24),
  'light-color': `var(--mantine-color-${color}-3)`,
  outline: `var(--mantine-color-${color}-4)`,
}));

/** Replaces the default colours whose contrast is too low: text has at least 4.5 to 1. */
export const colorVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...fromTokens,
    ...tintsInLight,
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-green-light-color': '#1f6b2e',
    '--mantine-color-yellow-light-color': '#7a4a00',
    '--mantine-color-orange-light-color': '#9c3a06',
    '--mantine-color-red-outline': '#c92a2a',
  },
  // Filled backgrounds carry white text in both schemes.
  dark: {
    ...fromTokens,
    ...tintsInDark,
    '--mantine-color-tide-outline': 'var(--accent)',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-tide-filled': tide[6],
    '--mantine-color-tide-filled-hover': tide[7],
    '--mantine-primary-color-filled': tide[6],
    '--mantine-primary-color-filled-hover': tide[7],
    '--mantine-color-red-filled': '#c92a2a',
    '--mantine-color-red-filled-hover': '#b02525',
  },
});
