import { AppShell, NavLink, ScrollArea, Select, Stack } from '@mantine/core';
import {
  type Icon,
  IconAdjustments,
  IconAnchor,
  IconArchive,
  IconBan,
  IconBell,
  IconBuildingStore,
  IconChartBar,
  IconCreditCard,
  IconHome,
  IconKey,
  IconLifebuoy,
  IconListDetails,
  IconMessage2,
  IconMessageReport,
  IconPalette,
  IconRobot,
  IconServer2,
  IconShieldCheck,
  IconShieldLock,
  IconUrgent,
  IconUserCheck,
  IconUserCircle,
  IconUsers,
  IconUsersPlus,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useMatch, useNavigate } from 'react-router';
import { allServersQuery } from '../queries/servers.ts';

type NavigationItem = { to: string; label: string; icon: Icon; isExact?: boolean };

const serverItems = (id: string): NavigationItem[] => {
  const base = `/servers/${id}`;
  return [
    { to: base, label: 'Server overview', icon: IconAnchor, isExact: true },
    { to: `${base}/members`, label: 'Members', icon: IconUsers },
    { to: `${base}/panels`, label: 'Panels', icon: IconMessage2 },
    { to: `${base}/verify-page`, label: 'Verify page', icon: IconPalette },
    { to: `${base}/backups`, label: 'Backups', icon: IconArchive },
    { to: `${base}/recover`, label: 'Recover', icon: IconLifebuoy },
    { to: `${base}/pulls`, label: 'Bring members back', icon: IconUsersPlus },
    { to: `${base}/protection`, label: 'Protection', icon: IconShieldLock },
    { to: `${base}/incidents`, label: 'Incidents', icon: IconUrgent },
    { to: `${base}/analytics`, label: 'Analytics', icon: IconChartBar },
    { to: `${base}/firewall`, label: 'Firewall', icon: IconShieldCheck },
    { to: `${base}/whitelist`, label: 'Whitelist', icon: IconUserCheck },
    { to: `${base}/appeals`, label: 'Appeals', icon: IconMessageReport },
    { to: `${base}/settings`, label: 'Settings', icon: IconAdjustments },
  ];
};

const accountItems: NavigationItem[] = [
  { to: '/', label: 'Overview', icon: IconHome, isExact: true },
  { to: '/servers', label: 'Servers', icon: IconServer2, isExact: true },
  { to: '/bots', label: 'Bots', icon: IconRobot },
  { to: '/alerts', label: 'Alerts', icon: IconBell },
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
        <ServerSwitch serverId={isServer ? serverId : undefined} />
      </AppShell.Section>
      <AppShell.Section grow component={ScrollArea} type="auto" mt="sm">
        <Stack gap="md">
          {isServer && <Items label="This server" items={serverItems(serverId)} />}
          <Items label="Your account" items={accountItems} />
        </Stack>
      </AppShell.Section>
    </>
  );
};

const Items = ({ label, items }: { label: string; items: NavigationItem[] }) => {
  const { pathname } = useLocation();
  return (
    <Stack component="ul" gap={2} m={0} p={0} aria-label={label} style={{ listStyle: 'none' }}>
      {items.map(({ to, label: name, icon: Glyph, isExact }) => {
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
              leftSection={<Glyph size={18} stroke={1.6} aria-hidden />}
              style={{ borderRadius: 'var(--mantine-radius-md)' }}
            />
          </li>
        );
      })}
    </Stack>
  );
};

/** Leads to the pages of another server. */
const ServerSwitch = ({ serverId }: { serverId: string | undefined }) => {
  const navigate = useNavigate();
  const { data } = useQuery(allServersQuery);
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
