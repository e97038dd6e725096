import { AppShell, Burger, Group, Skeleton, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect } from 'react';
import { Outlet, useLocation, useParams } from 'react-router';
import { Loaded } from '../components/list.tsx';
import { NotFound } from '../components/page.tsx';
import { isNotFound } from '../labels/errors.ts';
import { accountQuery } from '../queries/account.ts';
import { serverQuery } from '../queries/servers.ts';
import { AccountMenu } from './account-menu.tsx';
import { AlertBell } from './alert-bell.tsx';
import { startLiveUpdates } from './live-updates.ts';
import { Navigation } from './navigation.tsx';

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
            <Logo />
            <Text fw={650} size="lg">
              Holdfast
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <AlertBell />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Main">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main>
        <Loaded query={account} height={320}>
          {() => (
            <Suspense fallback={<Skeleton height={320} />}>
              <Outlet />
            </Suspense>
          )}
        </Loaded>
      </AppShell.Main>
    </AppShell>
  );
};

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

/** The logo: an anchor. */
const Logo = () => (
  <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
    <g
      fill="none"
      stroke="var(--mantine-primary-color-filled)"
      strokeWidth="3"
      strokeLinecap="round"
    >
      <circle cx="16" cy="7" r="3.5" />
      <path d="M16 11v16M10 15h12M5 19c1 6 6 9 11 9s10-3 11-9" />
    </g>
  </svg>
);
