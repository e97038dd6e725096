import { AppShell, Burger, Group, Skeleton, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Suspense, useEffect } from 'react';
import { Outlet, useLocation } from 'react-router';
import { Loaded } from '../parts/loaded.tsx';
import { useAccount } from '../parts/use-account.ts';
import { AccountMenu } from './account-menu.tsx';
import { Mark } from './mark.tsx';
import { Navigation } from './navigation.tsx';

/** The frame around every page: where one is, where one can go, who one is. */
export const Shell = () => {
  const [isOpen, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  const account = useAccount();
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever has chosen a page wants to see it
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
            <Mark />
            <Text fw={650} size="lg">
              Holdfast
            </Text>
          </Group>
          <AccountMenu />
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
