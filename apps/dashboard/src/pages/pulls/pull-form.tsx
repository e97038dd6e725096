import {
  Button,
  Group,
  List,
  NumberInput,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconUsersPlus } from '@tabler/icons-react';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { Fold } from '../../components/fold.tsx';
import { PowerNote, powerfulRole } from '../../components/power-note.tsx';
import { GuildSelect, ServerSelect } from '../../components/select.tsx';
import { errorMessage } from '../../labels/errors.ts';
import { formatDuration, plural } from '../../labels/format.ts';
import type { PullPreview, PullRecord, PullRequest } from '../../queries/records.ts';
import { pullPreviewQuery } from '../../queries/recovery.ts';
import { guildQuery, useServer } from '../../queries/servers.ts';
import { CooldownLeft, CooldownLine, CooldownRule } from './cooldown-note.tsx';
import { GiveBackChoice } from './give-back-choice.tsx';
import { TargetName } from './pull-list.tsx';
import { useStartPull, useWaitUntil } from './use-start-pull.ts';

type PullValues = {
  targetServerId: string;
  roleId: string | null;
  limit: number | string;
  restoreRoles: boolean;
  allowDangerousRoles: string[];
};

const requestOf = ({ roleId, limit, ...values }: PullValues): PullRequest => ({
  ...values,
  roleId: roleId ?? undefined,
  limit: limit === '' ? undefined : Number(limit),
  allowDangerousRoles: values.restoreRoles ? values.allowDangerousRoles : [],
});

type PullFormProps = { pulls: PullRecord[]; isAnybodyMissing: boolean };

export const PullForm = ({ pulls, isAnybodyMissing }: PullFormProps) => {
  const server = useServer();
  const navigate = useNavigate();
  const form = useForm<PullValues>({
    initialValues: {
      ...{ targetServerId: server.id, roleId: null, limit: '' },
      ...{ restoreRoles: true, allowDangerousRoles: [] },
    },
  });
  const preview = useQuery(pullPreviewQuery(server.id, form.values.targetServerId));
  const [isAsking, asking] = useDisclosure(false);
  const { start, refusedUntil } = useStartPull(server.id);
  const waitUntil = useWaitUntil(pulls, refusedUntil);
  const request = requestOf(form.values);
  const target = useQuery(guildQuery(form.values.targetServerId));
  const power = powerfulRole(target.data?.roles, request.roleId);
  const most = Math.min(request.limit ?? Number.POSITIVE_INFINITY, server._count.pullableMembers);
  const seconds = preview.data && Math.ceil(most * preview.data.secondsPerMember);
  const consequences = <Consequences {...{ request, most, seconds }} />;
  // Nothing can be started meanwhile, and the fields would only promise it.
  if (waitUntil !== undefined) {
    if (isAnybodyMissing) return <NotYet until={waitUntil} />;
    return <CooldownLine until={waitUntil} members={server._count.pullableMembers} />;
  }
  return (
    <>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
        <form onSubmit={form.onSubmit(asking.open)}>
          <PullFields form={form} preview={preview} />
        </form>
        <Summary>{consequences}</Summary>
      </SimpleGrid>
      <ConfirmDialog
        isDangerous
        opened={isAsking}
        onClose={asking.close}
        title="Bring these members back?"
        word={power?.name ?? server.name}
        label="Bring them back"
        action={() => start({ ...request, confirmRoleName: power?.name })}
        onSuccess={(pull) => pull && navigate(`/servers/${server.id}/pulls/${pull.id}`)}
      >
        {consequences}
        {power && <PowerNote role={power} />}
      </ConfirmDialog>
    </>
  );
};

const NotYet = ({ until }: { until: number }) => (
  <Stack gap="xs">
    <Group gap="sm">
      <Button disabled leftSection={<IconUsersPlus size={18} aria-hidden />}>
        Bring members back
      </Button>
      <CooldownLeft until={until} />
    </Group>
    <Text size="sm" c="dimmed">
      <CooldownRule />
    </Text>
  </Stack>
);

/** Beside the form where there is room; the dialog says the same before anything happens. */
const Summary = ({ children }: { children: ReactNode }) => (
  <Paper withBorder p="md" visibleFrom="lg" style={{ alignSelf: 'start' }}>
    <Title order={3} size="h5" mb="sm">
      What will happen
    </Title>
    {children}
  </Paper>
);

type PullFieldsProps = {
  form: UseFormReturnType<PullValues>;
  preview: UseQueryResult<PullPreview>;
};

const PullFields = ({ form, preview }: PullFieldsProps) => {
  const { targetServerId } = form.values;
  const server = useServer();
  return (
    <Stack gap="md">
      <ServerSelect
        label="Into which server"
        value={targetServerId}
        // Roles belong to a server, so another server starts without one.
        onChange={(chosen) =>
          form.setValues({ targetServerId: chosen, roleId: null, allowDangerousRoles: [] })
        }
      />
      <GiveBackChoice
        serverId={server.id}
        preview={preview}
        choice={form.values}
        onChange={(choice) => form.setValues(choice)}
      />
      <MoreOptions form={form} />
      <Group>
        <Button type="submit" leftSection={<IconUsersPlus size={18} aria-hidden />}>
          {targetServerId === server.id ? 'Bring members back' : 'Add them to another server'}
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        <CooldownRule />
      </Text>
    </Stack>
  );
};

const MoreOptions = ({ form }: Pick<PullFieldsProps, 'form'>) => {
  const guild = useQuery(guildQuery(form.values.targetServerId));
  return (
    <Fold label="More options">
      <Stack gap="md" mt="sm">
        <GuildSelect
          label="Role to give them"
          description={
            guild.error
              ? `The roles cannot be read now: ${errorMessage(guild.error)}`
              : 'Optional. Every member who joins gets it.'
          }
          choices={guild.data?.roles ?? (guild.error ? null : undefined)}
          {...form.getInputProps('roleId')}
          value={form.values.roleId}
        />
        <NumberInput
          label="Limit"
          description="Optional. Members who verified last come first."
          placeholder="Everybody"
          min={1}
          allowDecimal={false}
          {...form.getInputProps('limit')}
        />
      </Stack>
    </Fold>
  );
};

/** What happens to the members. */
type ConsequencesProps = { request: PullRequest; most: number; seconds: number | undefined };

const Consequences = ({ request, most, seconds }: ConsequencesProps) => (
  <List size="sm" spacing="xs">
    <List.Item>
      Adds up to {plural(most, 'member')} to <TargetName serverId={request.targetServerId ?? ''} />,
      one after the other, as fast as the platform allows
      {seconds !== undefined && `: about ${formatDuration(seconds)}`}.
    </List.Item>
    {request.restoreRoles && (
      <List.Item>
        They get back the roles and the nickname of the backup. Roles with dangerous permissions:{' '}
        {request.allowDangerousRoles?.length ? 'only those that you chose' : 'none'}.
      </List.Item>
    )}
    {request.roleId !== undefined && (
      <List.Item>Every member who joins gets the role you chose.</List.Item>
    )}
    <List.Item>
      Members who withdrew their consent in the meantime are left out. Nobody gets a message.
    </List.Item>
    <List.Item>You can stop it at any time; members who have joined by then stay.</List.Item>
  </List>
);
