import { List, Stack, Text } from '@mantine/core';
import { useNavigate } from 'react-router';
import { api } from '../../api.ts';
import { DangerSection } from '../../components/confirm.tsx';
import { plural } from '../../labels/format.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { Server } from '../../queries/records.ts';

export const DangerZone = ({ server }: { server: Server }) => {
  const { id, name } = server;
  const navigate = useNavigate();
  return (
    <DangerSection
      label="Delete the server"
      note="Holdfast deletes the server and everything it stores for it. On the platform nothing changes."
      title="Delete the server for good"
      word={name}
      action={async () => {
        await api.deleteServer({ params: { id } });
        // At once: while this page is open, it asks for the server whenever something changes.
        navigate('/servers');
      }}
      message="The server was deleted"
      invalidates={[queryKeys.servers, queryKeys.account, queryKeys.overview, queryKeys.bots]}
    >
      <Losses server={server} />
    </DangerSection>
  );
};

const Losses = ({ server: { _count } }: { server: Server }) => {
  const { members, pullableMembers, backups, firewallRules, whitelistRules, pulls } = _count;
  return (
    <Stack gap="xs">
      <Text size="sm">This cannot be undone. What is lost:</Text>
      <List size="sm">
        <List.Item>
          {plural(members, 'verified member')}, {pullableMembers} of whom could be brought back
        </List.Item>
        <List.Item>{plural(backups, 'backup')}: none of them can be restored afterwards</List.Item>
        <List.Item>
          {plural(firewallRules, 'firewall rule')} and {plural(whitelistRules, 'whitelist rule')}
        </List.Item>
        <List.Item>{plural(pulls, 'pull')}, all appeals and all analytics</List.Item>
      </List>
      <Text size="sm">
        Your blacklist stays, and so does the audit log. The verify link stops working at once.
      </Text>
    </Stack>
  );
};
