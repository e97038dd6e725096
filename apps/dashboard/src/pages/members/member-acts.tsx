import { Anchor, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { api } from '../../api.ts';
import { useAccount } from '../../parts/use-account.ts';
import { useAct } from '../../parts/use-act.ts';
import { useServer } from '../../parts/use-server.ts';
import type { Member } from './pullable-words.ts';

/** What an owner decides about one person, or about the device they came with. */
export const MemberActs = ({ member }: { member: Member }) => {
  const [note, setNote] = useState('');
  return (
    <Stack gap="md">
      <Title order={3} size="h5">
        Decide about this member
      </Title>
      <TextInput
        label="Reason or note (optional)"
        description="Kept with what you choose below."
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
        maxLength={500}
      />
      <KeepOut member={member} note={note} />
      <LetIn member={member} note={note} />
    </Stack>
  );
};

type ActsProps = { member: Member; note: string };

/** A rule of this server, for the person or for their device. */
const useRule = (list: 'firewall' | 'whitelist', note: string, done: string) => {
  const { id } = useServer();
  return useAct(
    (rule: { type: 'USER_ID' | 'FINGERPRINT'; value: string }) => {
      const call = { params: { id }, body: { ...rule, note: note.trim() || null } };
      return list === 'firewall' ? api.createFirewallRule(call) : api.createWhitelistRule(call);
    },
    {
      done,
      touches: [
        [list, id],
        ['server', id],
      ],
    },
  );
};

const KeepOut = ({ member, note }: ActsProps) => {
  const server = useServer();
  const { data: account } = useAccount();
  const hasFirewall = account?.limits.hasFirewall === true;
  const { platformId, fingerprint } = member;
  const block = useRule('firewall', note, 'The firewall has a new rule');
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <BlacklistButton member={member} note={note} />
        <Button
          size="xs"
          variant="default"
          disabled={!hasFirewall}
          onClick={() => block.mutate({ type: 'USER_ID', value: platformId })}
        >
          Block this person here
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={!hasFirewall || fingerprint === null}
          onClick={() => fingerprint && block.mutate({ type: 'FINGERPRINT', value: fingerprint })}
        >
          Block this device here
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        They cannot verify again, and the blacklist also keeps them from being called back. Nobody
        is removed from the server at the platform.
      </Text>
      <FirewallNote hasFirewall={hasFirewall} isOn={server.firewallEnabled} serverId={server.id} />
    </Stack>
  );
};

const BlacklistButton = ({ member: { platformId }, note }: ActsProps) => {
  const { id } = useServer();
  const blacklist = useAct(
    () => {
      const body = { platformId, reason: note.trim() || null };
      return api.createBlacklistEntry({ params: { id }, body });
    },
    {
      done: 'They are on your blacklist',
      touches: [['blacklist'], ['members', id], ['server', id]],
    },
  );
  return (
    <Button
      size="xs"
      color="red"
      variant="outline"
      loading={blacklist.isPending}
      onClick={() => blacklist.mutate()}
    >
      Blacklist on all your servers
    </Button>
  );
};

type FirewallNoteProps = { hasFirewall: boolean; isOn: boolean; serverId: string };

/** A rule that would do nothing is worse than none. */
const FirewallNote = ({ hasFirewall, isOn, serverId }: FirewallNoteProps) => {
  if (hasFirewall && isOn) return null;
  const [words, to, label] = hasFirewall
    ? [
        'The firewall is off: blocks count once it is on.',
        `/servers/${serverId}/settings`,
        'Settings',
      ]
    : ['Your plan does not include the firewall.', '/billing', 'Compare plans'];
  return (
    <Text size="sm">
      {words}{' '}
      <Anchor component={Link} to={to} inherit underline="always">
        {label}
      </Anchor>
    </Text>
  );
};

const LetIn = ({ member: { platformId, fingerprint }, note }: ActsProps) => {
  const allow = useRule('whitelist', note, 'The whitelist has a new rule');
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          onClick={() => allow.mutate({ type: 'USER_ID', value: platformId })}
        >
          Always let this person in
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={fingerprint === null}
          onClick={() => fingerprint && allow.mutate({ type: 'FINGERPRINT', value: fingerprint })}
        >
          Always let this device in
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        The whitelist goes before every check of this server, but not before the blacklist.
      </Text>
    </Stack>
  );
};
