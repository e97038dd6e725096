import { Burger, Skeleton } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, startTransition, useEffect, useLayoutEffect, useState } from 'react';
import { Link, Outlet, useLocation } from 'react-router';
import { Loaded } from '../components/loaded.tsx';
import { PageBoundary } from '../components/page-boundary.tsx';
import { accountQuery } from '../queries/account.ts';
import { startLiveUpdates } from './live-updates.ts';
import { HeaderTools, Navigation } from './on-demand.tsx';
import { useIsWide } from './use-is-wide.ts';

/** The frame around every page (`frame.css`): header, navigation and account menu. */
export const Shell = () => {
  const [isOpen, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  const account = useQuery(accountQuery);
  const queries = useQueryClient();
  const isWide = useIsWide();
  const isDrawn = useIsDrawn();
  const [paletteCalls, setPaletteCalls] = useState(0);
  const openPalette = () => setPaletteCalls((calls) => calls + 1);
  // Here, so that it is heard before the palette is loaded; and wherever the focus is.
  useHotkeys([['mod+K', openPalette]], []);
  useLayoutEffect(() => document.getElementById('frame')?.remove(), []);
  useEffect(() => startLiveUpdates(queries), [queries]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the navigation closes when another page was chosen
  useEffect(close, [pathname]);
  return (
    <>
      <SkipLink />
      {/* The second class keeps it in place where a dialog hides the scroll bar. */}
      <header className="frame-header right-scroll-bar-position">
        <div className="frame-start">
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="md"
            size="sm"
            aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
            aria-expanded={isOpen}
          />
          <Link to="/" className="frame-home">
            <Mark />
            Holdfast
          </Link>
        </div>
        <PageBoundary place={pathname} isOptional>
          <Suspense fallback={null}>
            {isDrawn && <HeaderTools paletteCalls={paletteCalls} onPalette={openPalette} />}
          </Suspense>
        </PageBoundary>
      </header>
      <nav className="frame-navigation" data-open={isOpen || undefined} aria-label="Main">
        <PageBoundary place={pathname} isOptional>
          <Suspense fallback={null}>{isDrawn && (isWide || isOpen) && <Navigation />}</Suspense>
        </PageBoundary>
      </nav>
      <main className="frame-main" id={contentId} tabIndex={-1}>
        <Loaded query={account} height={320}>
          {() => (
            <PageBoundary place={pathname}>
              <Suspense fallback={<Skeleton height={320} />}>
                <Outlet />
              </Suspense>
            </PageBoundary>
          )}
        </Loaded>
      </main>
    </>
  );
};

/** False until the page itself is on the screen: what stands around it waits so long. */
const useIsDrawn = (): boolean => {
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => startTransition(() => setDrawn(true)), []);
  return isDrawn;
};

const contentId = 'content';

/** The first thing that the Tab key reaches: past header and navigation. */
const SkipLink = () => (
  <a
    className="holdfast-skip"
    href={`#${contentId}`}
    onClick={(event) => {
      // The address stays that of the page.
      event.preventDefault();
      document.getElementById(contentId)?.focus();
    }}
  >
    Skip to the content
  </a>
);

/** The letter H, whose posts are held together by a ring; as `http/brand/mark.ts` of the service draws it. */
const Mark = () => (
  <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
    <g fill="none" stroke="var(--accent)" strokeWidth="3.2" strokeLinecap="round">
      <path d="M7.2 5.5v21M24.8 5.5v21M7.2 16h3.5M21.3 16h3.5" />
      <circle cx="16" cy="16" r="5.3" />
    </g>
  </svg>
);
