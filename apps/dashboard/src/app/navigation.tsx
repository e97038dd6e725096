import { NavLink, Select, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { plainName } from '../components/display.tsx';
import { allServersQuery } from '../queries/servers.ts';
import type { Destination, DestinationGroup } from './destinations.ts';
import classes from './navigation.module.css';
import { useDestinations } from './use-destinations.ts';

export const Navigation = () => {
  const { serverId, server, account } = useDestinations();
  return (
    <>
      <ServerSwitch serverId={serverId} />
      <Stack gap="md" mt="sm" className={classes.groups}>
        {server.map((group, at) => (
          // The server's own name is shown above.
          <Group key={group.label} group={group} isLabelHidden={at === 0} />
        ))}
        {account.map((group) => (
          <Group key={group.label} group={group} />
        ))}
      </Stack>
    </>
  );
};

type GroupProps = { group: DestinationGroup; isLabelHidden?: boolean };

const Group = ({ group: { label, destinations }, isLabelHidden = false }: GroupProps) => {
  const id = useId();
  return (
    <div>
      {isLabelHidden ? (
        <VisuallyHidden id={id}>{plainName(label)}</VisuallyHidden>
      ) : (
        <Text id={id} size="xs" fw={600} c="dimmed" px="sm" mb={2}>
          {label}
        </Text>
      )}
      <Stack component="ul" gap={1} m={0} p={0} aria-labelledby={id} style={{ listStyle: 'none' }}>
        {destinations.map((destination) => (
          <Item key={destination.to} destination={destination} />
        ))}
      </Stack>
    </div>
  );
};

const Item = ({ destination }: { destination: Destination }) => {
  const { to, label, icon: Glyph, isExact = false } = destination;
  const { pathname } = useLocation();
  const isHere = pathname === to || (!isExact && pathname.startsWith(`${to}/`));
  return (
    <li>
      <NavLink
        component={Link}
        to={to}
        label={label}
        active={isHere}
        py={5}
        aria-current={isHere ? 'page' : undefined}
        leftSection={<Glyph size={18} stroke={1.6} aria-hidden />}
        style={{ borderRadius: 'var(--mantine-radius-md)' }}
      />
    </li>
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
      data={servers.map(({ id, name }) => ({ value: id, label: plainName(name) }))}
      value={serverId ?? null}
      onChange={(id) => id && navigate(`/servers/${id}`)}
      searchable={servers.length > 8}
      allowDeselect={false}
      comboboxProps={{ withinPortal: true }}
    />
  );
};
