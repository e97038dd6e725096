import { QueryClientProvider } from '@tanstack/react-query';
import { BrowserRouter, Route, Routes } from 'react-router';
import { Overview } from '../pages/overview/overview.tsx';
import { CodeDialog, Pages, Toasts } from './on-demand.tsx';
import { queryClient } from './query-client.ts';
import { Shell } from './shell.tsx';
import { ThemeProvider } from './theme-provider.tsx';

export const App = ({ basename }: { basename: string }) => (
  <ThemeProvider>
    <Toasts />
    <QueryClientProvider client={queryClient}>
      <BrowserRouter basename={basename}>
        <Routes>
          <Route element={<Shell />}>
            <Route index element={<Overview />} />
            <Route path="*" element={<Pages />} />
          </Route>
        </Routes>
        <CodeDialog />
      </BrowserRouter>
    </QueryClientProvider>
  </ThemeProvider>
);
