import { HoldfastError } from '@holdfast/sdk';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { BrowserRouter } from 'react-router';
import { CodeDialog } from './code-dialog.tsx';
import { AppRoutes, loadPageOf } from './routes.tsx';
import { colorVariables, theme } from './theme.ts';

/** Leads to the login when the session has ended, and back to this page afterwards. */
const signInAgain = (error: unknown): void => {
  if (!(error instanceof HoldfastError && error.kind === 'unauthorized')) return;
  const here = `${location.pathname}${location.search}`;
  location.assign(`/login?next=${encodeURIComponent(here)}`);
};

const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: signInAgain }),
  mutationCache: new MutationCache({ onError: signInAgain }),
  // The SDK already retries where that can help.
  defaultOptions: { queries: { retry: false, staleTime: 2000 }, mutations: { retry: false } },
});

/** The content security policy allows only style elements with this nonce. */
const styleNonce = (): string =>
  document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';

// The scroll lock of dialogs creates a style element and looks for the nonce under this name.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });

const basename = '/dashboard';
loadPageOf(location.pathname.slice(basename.length) || '/');

export const App = () => (
  <MantineProvider
    theme={theme}
    cssVariablesResolver={colorVariables}
    defaultColorScheme="auto"
    getStyleNonce={styleNonce}
  >
    <Notifications position="bottom-right" containerWidth={360} />
    <QueryClientProvider client={queryClient}>
      <BrowserRouter basename={basename}>
        <AppRoutes />
        <CodeDialog />
      </BrowserRouter>
    </QueryClientProvider>
  </MantineProvider>
);
