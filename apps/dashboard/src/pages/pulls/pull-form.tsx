import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUsersPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmDanger } from '../../parts/confirm-danger.tsx';
import { ServerSelect } from '../../parts/server-select.tsx';
import { useAccount } from '../../parts/use-account.ts';
import { useNow } from '../../parts/use-now.ts';
import { useServer } from '../../parts/use-server.ts';
import { CooldownNote, CooldownRule } from './cooldown-note.tsx';
import { PullPromise } from './pull-promise.tsx';
import { cooldownEnd, type PullRecord } from './pull-words.ts';
import { RoleSelect } from './role-select.tsx';
import { useStartPull } from './use-start-pull.ts';

export const PullForm = ({ pulls }: { pulls: PullRecord[] }) => {
  const server = useServer();
  const draft = useDraft(server.id);
  const [isAsking, asking] = useDisclosure(false);
  const { begin, refusedUntil } = useStartPull(server.id);
  const waitUntil = useWaitUntil(pulls, refusedUntil);
  const { wish } = draft;
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (waitUntil === undefined) asking.open();
        }}
      >
        <Fields draft={draft} waitUntil={waitUntil} />
      </form>
      <ConfirmDanger
        opened={isAsking}
        onClose={asking.close}
        title="Call these members?"
        word={server.name}
        label="Call them"
        onConfirm={() => begin(wish)}
      >
        <PullPromise
          targetServerId={wish.targetServerId}
          most={Math.min(wish.limit ?? Number.POSITIVE_INFINITY, server._count.pullableMembers)}
          hasRole={wish.roleId !== undefined}
        />
      </ConfirmDanger>
    </>
  );
};

/** What is being filled in, and what would be asked for as it stands. */
const useDraft = (serverId: string) => {
  const [targetServerId, setTarget] = useState(serverId);
  const [roleId, setRoleId] = useState<string | null>(null);
  const [limit, setLimit] = useState<number | string>('');
  const wish = {
    targetServerId,
    roleId: roleId ?? undefined,
    limit: limit === '' ? undefined : Number(limit),
  };
  const chooseTarget = (chosen: string) => {
    setTarget(chosen);
    // A role is one of the server that they come to.
    setRoleId(null);
  };
  return { wish, roleId, limit, chooseTarget, setRoleId, setLimit };
};

type FieldsProps = { draft: ReturnType<typeof useDraft>; waitUntil: number | undefined };

const Fields = ({ draft, waitUntil }: FieldsProps) => (
  <Stack gap="md" maw={560}>
    <ServerSelect
      label="Into which server"
      value={draft.wish.targetServerId}
      onChange={draft.chooseTarget}
    />
    <RoleSelect
      serverId={draft.wish.targetServerId}
      value={draft.roleId}
      onChange={draft.setRoleId}
    />
    <NumberInput
      label="At most"
      description="Optional. Those who verified last come first."
      placeholder="Everybody"
      min={1}
      allowDecimal={false}
      value={draft.limit}
      onChange={draft.setLimit}
    />
    {waitUntil !== undefined && <CooldownNote until={waitUntil} />}
    <Group>
      <Button
        type="submit"
        leftSection={<IconUsersPlus size={18} aria-hidden />}
        disabled={waitUntil !== undefined}
      >
        Call members
      </Button>
    </Group>
    {waitUntil === undefined && (
      <Text size="sm" c="dimmed">
        <CooldownRule />
      </Text>
    )}
  </Stack>
);

/** Until when the cooldown lasts: as far as the history tells, or as the service just said. */
const useWaitUntil = (pulls: PullRecord[], refusedUntil = 0): number | undefined => {
  const { data: account } = useAccount();
  const now = useNow(true);
  const known = cooldownEnd(pulls, account?.limits.pullCooldownMs ?? 0, now) ?? 0;
  const until = Math.max(known, refusedUntil);
  return until > now ? until : undefined;
};
