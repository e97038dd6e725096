import { AppShell, Burger, Group, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect } from 'react';
import { Link, Outlet, useLocation, useParams } from 'react-router';
import { Loaded } from '../components/list.tsx';
import { NotFound } from '../components/page.tsx';
import { PageBoundary } from '../components/page-boundary.tsx';
import { isNotFound } from '../labels/errors.ts';
import { accountQuery } from '../queries/account.ts';
import { serverQuery } from '../queries/servers.ts';
import { AccountMenu } from './account-menu.tsx';
import { AlertBell } from './alert-bell.tsx';
import { startLiveUpdates } from './live-updates.ts';
import { Navigation } from './navigation.tsx';
import { PaletteButton } from './palette-button.tsx';

/** The frame around every page: header, navigation and account menu. */
export const Shell = () => {
  const [isOpen, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  const account = useQuery(accountQuery);
  const queries = useQueryClient();
  useEffect(() => startLiveUpdates(queries), [queries]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the navigation closes when another page was chosen
  useEffect(close, [pathname]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 248, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <SkipLink />
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
              aria-expanded={isOpen}
            />
            <Link to="/" className="holdfast-home">
              <Mark />
              Holdfast
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <PaletteButton />
            <AlertBell />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Main">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id={contentId} tabIndex={-1}>
        <Loaded query={account} height={320}>
          {() => (
            <PageBoundary place={pathname}>
              <Suspense fallback={<Skeleton height={320} />}>
                <Outlet />
              </Suspense>
            </PageBoundary>
          )}
        </Loaded>
      </AppShell.Main>
    </AppShell>
  );
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

/** The pages of one server, shown once the service has confirmed that the account owns it. */
export const ServerFrame = () => {
  const { id = '' } = useParams();
  const server = useQuery(serverQuery(id));
  if (isNotFound(server.error)) return <NotFound />;
  return (
    <Loaded query={server} height={320}>
      {(found) => (
        // Another server's pages are mounted again, so that nothing typed for this one stays in them.
        <Suspense key={found.id} fallback={<Skeleton height={320} />}>
          <Outlet context={found} />
        </Suspense>
      )}
    </Loaded>
  );
};

/** The letter H, whose posts are held together by a ring; as `http/brand/mark.ts` of the service draws it. */
const Mark = () => (
  <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
    <g fill="none" stroke="var(--accent)" strokeWidth="3.2" strokeLinecap="round">
      <path d="M7.2 5.5v21M24.8 5.5v21M7.2 16h3.5M21.3 16h3.5" />
      <circle cx="16" cy="16" r="5.3" />
    </g>
  </svg>
);
