import { AppShell, NavLink, ScrollArea, Select, Stack } from '@mantine/core';
import {
  type Icon,
  IconAdjustments,
  IconAnchor,
  IconArchive,
  IconBan,
  IconBuildingStore,
  IconChartBar,
  IconCreditCard,
  IconHome,
  IconKey,
  IconListDetails,
  IconMessageReport,
  IconRobot,
  IconServer2,
  IconShieldCheck,
  IconUserCheck,
  IconUserCircle,
  IconUsers,
  IconUsersPlus,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useMatch, useNavigate } from 'react-router';
import { api } from '../api.ts';

type Place = { to: string; label: string; icon: Icon; isExact?: boolean };

const ofServer = (id: string): Place[] => {
  const base = `/servers/${id}`;
  return [
    { to: base, label: 'At a glance', icon: IconAnchor, isExact: true },
    { to: `${base}/members`, label: 'Members', icon: IconUsers },
    { to: `${base}/backups`, label: 'Backups', icon: IconArchive },
    { to: `${base}/pulls`, label: 'Pulls', icon: IconUsersPlus },
    { to: `${base}/analytics`, label: 'Analytics', icon: IconChartBar },
    { to: `${base}/firewall`, label: 'Firewall', icon: IconShieldCheck },
    { to: `${base}/whitelist`, label: 'Whitelist', icon: IconUserCheck },
    { to: `${base}/appeals`, label: 'Appeals', icon: IconMessageReport },
    { to: `${base}/settings`, label: 'Settings', icon: IconAdjustments },
  ];
};

const ofAccount: Place[] = [
  { to: '/', label: 'Overview', icon: IconHome, isExact: true },
  { to: '/servers', label: 'Servers', icon: IconServer2, isExact: true },
  { to: '/bots', label: 'Bots', icon: IconRobot },
  { to: '/blacklist', label: 'Blacklist', icon: IconBan },
  { to: '/marketplace', label: 'Marketplace', icon: IconBuildingStore },
  { to: '/api-keys', label: 'API keys', icon: IconKey },
  { to: '/billing', label: 'Billing', icon: IconCreditCard },
  { to: '/audit', label: 'Audit log', icon: IconListDetails },
  { to: '/account', label: 'Account', icon: IconUserCircle },
];

export const Navigation = () => {
  const serverId = useMatch('/servers/:id/*')?.params.id;
  const isServer = serverId !== undefined && serverId !== 'new';
  return (
    <>
      <AppShell.Section>
        <ServerChoice serverId={isServer ? serverId : undefined} />
      </AppShell.Section>
      <AppShell.Section grow component={ScrollArea} type="auto" mt="sm">
        <Stack gap="md">
          {isServer && <Places label="This server" places={ofServer(serverId)} />}
          <Places label="Your account" places={ofAccount} />
        </Stack>
      </AppShell.Section>
    </>
  );
};

const Places = ({ label, places }: { label: string; places: Place[] }) => {
  const { pathname } = useLocation();
  return (
    <Stack component="ul" gap={2} m={0} p={0} aria-label={label} style={{ listStyle: 'none' }}>
      {places.map(({ to, label: name, icon: Sign, isExact }) => {
        const isHere = pathname === to || (!isExact && pathname.startsWith(`${to}/`));
        return (
          <li key={to}>
            <NavLink
              component={Link}
              to={to}
              label={name}
              active={isHere}
              py={6}
              aria-current={isHere ? 'page' : undefined}
              leftSection={<Sign size={18} stroke={1.6} aria-hidden />}
              style={{ borderRadius: 'var(--mantine-radius-md)' }}
            />
          </li>
        );
      })}
    </Stack>
  );
};

/** From one server's pages to another's. */
const ServerChoice = ({ serverId }: { serverId: string | undefined }) => {
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: ['servers', 'choice'],
    queryFn: () => api.listServers({ query: { limit: 100 } }),
    refetchInterval: 30_000,
  });
  const servers = data?.data ?? [];
  if (servers.length === 0) return null;
  return (
    <Select
      aria-label="Server"
      placeholder="Choose a server"
      data={servers.map(({ id, name }) => ({ value: id, label: name }))}
      value={serverId ?? null}
      onChange={(id) => id && navigate(`/servers/${id}`)}
      searchable={servers.length > 8}
      allowDeselect={false}
      comboboxProps={{ withinPortal: true }}
    />
  );
};
