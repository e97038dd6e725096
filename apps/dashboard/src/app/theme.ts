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
  components: {
    Badge: { defaultProps: { variant: 'light', tt: 'none' } },
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    // The header of a dialog must not count as the banner of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
  },
});

/** Replaces the default colours whose contrast is too low: text has at least 4.5 to 1. */
export const colorVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#54616b',
    '--mantine-color-body': '#fcfcfa',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-green-light-color': '#1f6b2e',
    '--mantine-color-yellow-light-color': '#7a4a00',
    '--mantine-color-orange-light-color': '#9c3a06',
    '--mantine-color-red-outline': '#c92a2a',
  },
  // Filled backgrounds carry white text in both schemes.
  dark: {
    '--mantine-color-dimmed': '#a3b2bc',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-tide-filled': tide[6],
    '--mantine-color-tide-filled-hover': tide[7],
    '--mantine-primary-color-filled': tide[6],
    '--mantine-primary-color-filled-hover': tide[7],
    '--mantine-color-red-filled': '#c92a2a',
    '--mantine-color-red-filled-hover': '#b02525',
  },
});
