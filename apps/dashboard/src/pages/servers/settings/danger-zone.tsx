import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from 'react-router';
import { api } from '../../../api.ts';
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx';
import { useAct } from '../../../parts/use-act.ts';
import type { Server } from '../../../parts/use-server.ts';
import { plural } from '../../../parts/words.ts';
import { Card } from '../card.tsx';

export const DangerZone = ({ server }: { server: Server }) => {
  const { id, name } = server;
  const [isOpen, { open, close }] = useDisclosure();
  const navigate = useNavigate();
  const remove = useAct(() => api.deleteServer({ params: { id } }), {
    ...{ done: 'The server was deleted', isQuietOnError: true },
    touches: [['servers'], ['account'], ['overview'], ['bots']],
    onDone: () => navigate('/servers'),
  });
  return (
    <Card title="Delete the server">
      <Group justify="space-between" gap="md">
        <Text size="sm" flex={1} miw={220}>
          Holdfast forgets the server and all that it keeps for it. At the platform nothing changes.
        </Text>
        <Button color="red" variant="outline" onClick={open}>
          Delete the server
        </Button>
      </Group>
      <ConfirmDanger
        opened={isOpen}
        onClose={close}
        title="Delete the server for good"
        word={name}
        label="Delete the server"
        onConfirm={() => remove.mutateAsync()}
      >
        <Losses server={server} />
      </ConfirmDanger>
    </Card>
  );
};

const Losses = ({ server: { _count } }: { server: Server }) => {
  const { members, pullableMembers, backups, firewallRules, whitelistRules, pulls } = _count;
  return (
    <Stack gap="xs">
      <Text size="sm">This cannot be taken back. What is lost:</Text>
      <List size="sm">
        <List.Item>
          {plural(members, 'verified member')}, {pullableMembers} of whom could be called back
        </List.Item>
        <List.Item>{plural(backups, 'backup')}: none of them can be restored any more</List.Item>
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
