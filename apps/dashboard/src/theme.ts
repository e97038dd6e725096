import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** Sea green, as on the pages that members see. */
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

export const theme = createTheme({
  colors: { tide },
  primaryColor: 'tide',
  primaryShade: { light: 8, dark: 4 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  headings: { fontWeight: '650', textWrap: 'balance' },
  cursorType: 'pointer',
  respectReducedMotion: true,
});

/** Quiet text dark enough to be read by everybody. */
export const colorVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { '--mantine-color-dimmed': '#54616b', '--mantine-color-body': '#fcfcfa' },
  dark: { '--mantine-color-dimmed': '#a3b2bc' },
});
