import { notificationsStore } from '@mantine/notifications';
import { lazy, Suspense, useState, useSyncExternalStore } from 'react';
import { codeRequests } from '../api.ts';
import { PageBoundary } from '../components/page-boundary.tsx';

const loadRest = () => import('./rest.ts');

type Rest = Awaited<ReturnType<typeof loadRest>>;
type ComponentName = Exclude<keyof Rest, 'loadPageOf'>;

const lazily = <Name extends ComponentName>(name: Name) =>
  lazy<Rest[Name]>(async () => ({ default: (await loadRest())[name] }));

export const HeaderTools = lazily('HeaderTools');
export const Navigation = lazily('Navigation');
export const Pages = lazily('Pages');

/** Begins to load the page of an address, beside what the frame around it asks the service for. */
export const loadPageOf = async (pathname: string): Promise<void> => {
  const rest = await loadRest();
  await rest.loadPageOf(pathname);
};

const LoadedToasts = lazily('Toasts');
const hasToasts = () => notificationsStore.getState().notifications.length > 0;

/** Messages about what was done. */
export const Toasts = () => {
  const isNeeded = useOnceTrue(useSyncExternalStore(notificationsStore.subscribe, hasToasts));
  return (
    <PageBoundary place="" isOptional>
      <Suspense fallback={null}>{isNeeded && <LoadedToasts />}</Suspense>
    </PageBoundary>
  );
};

const LoadedCodeDialog = lazily('CodeDialog');

/** Asks for a fresh code when the service requires one. */
export const CodeDialog = () => {
  const request = useSyncExternalStore(codeRequests.subscribe, codeRequests.read);
  const isNeeded = useOnceTrue(request !== undefined);
  return (
    <PageBoundary place="">
      <Suspense fallback={null}>{isNeeded && <LoadedCodeDialog />}</Suspense>
    </PageBoundary>
  );
};

/** True from the first time on that it was true. */
const useOnceTrue = (isTrue: boolean): boolean => {
  const [wasTrue, setWasTrue] = useState(isTrue);
  if (isTrue && !wasTrue) setWasTrue(true);
  return wasTrue || isTrue;
};
