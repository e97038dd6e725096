import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { BrowserRouter } from 'react-router';
import { CodeDialog } from './parts/code-dialog.tsx';
import { queryClient } from './query-client.ts';
import { AppRoutes } from './routes.tsx';
import { colorVariables, theme } from './theme.ts';

/** The page's own style elements carry the nonce that the policy names. */
const styleNonce = (): string =>
  document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';

// By this name a dialog's lock on scrolling looks for it, which makes a style element of its own.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });

export const App = () => (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={colorVariables}
    defaultColorScheme="auto"
    getStyleNonce={styleNonce}
  >
    <Notifications position="bottom-right" containerWidth={360} />
    <QueryClientProvider client={queryClient}>
      <BrowserRouter basename="/dashboard">
        <AppRoutes />
        <CodeDialog />
      </BrowserRouter>
    </QueryClientProvider>
  </MantineProvider>
);
