import { Button, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconUserCheck } from '@tabler/icons-react';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { api } from '../../../api.ts';
import { ConfirmDialog } from '../../../components/confirm.tsx';
import { isolatedName } from '../../../components/display.tsx';
import { Note, Section } from '../../../components/page.tsx';
import { GuildSelect } from '../../../components/select.tsx';
import { errorMessage } from '../../../labels/errors.ts';
import { formatCount, plural } from '../../../labels/format.ts';
import { permissionLabel } from '../../../labels/permissions.ts';
import { massVerificationPreviewQuery } from '../../../queries/mass-verifications.ts';
import { queryKeys } from '../../../queries/query-keys.ts';
import type { MassVerificationPreview, MassVerificationRequest } from '../../../queries/records.ts';
import { guildQuery, useServer } from '../../../queries/servers.ts';

type FilterValues = { joinedBefore: string; roleId: string | null };

/** The field has a day of the reader's own calendar: it begins at their midnight. */
const requestOf = ({ joinedBefore, roleId }: FilterValues): MassVerificationRequest => {
  const day = new Date(`${joinedBefore}T00:00`);
  return {
    ...(!Number.isNaN(day.getTime()) && { joinedBefore: day.toISOString() }),
    ...(roleId && { roleId }),
  };
};

type VerifyFormProps = {
  /** What was counted before that is no longer true. */
  lastEndedAt: string | null;
};

export const VerifyForm = ({ lastEndedAt }: VerifyFormProps) => {
  const { id } = useServer();
  const guild = useQuery(guildQuery(id));
  const form = useForm<FilterValues>({ initialValues: { joinedBefore: '', roleId: null } });
  const request = requestOf(form.values);
  const preview = useQuery(massVerificationPreviewQuery(id, request, lastEndedAt));
  const [isAsking, asking] = useDisclosure(false);
  const { data } = preview;
  // Who gives power to others types the name of what gives it.
  const roleName = data?.dangerousPermissions.length ? (data.roleName ?? undefined) : undefined;
  return (
    <Section
      title="Who gets the role"
      note="Bots and people on your blacklist are left out. Without a filter it is everybody else."
      padding="md"
    >
      <form onSubmit={form.onSubmit(asking.open)}>
        <Stack gap="md" maw={560}>
          <TextInput
            type="date"
            label="Joined before"
            description="Optional."
            {...form.getInputProps('joinedBefore')}
          />
          <GuildSelect
            label="Has this role"
            description={
              guild.error
                ? `The roles cannot be read now: ${errorMessage(guild.error)}`
                : 'Optional.'
            }
            choices={guild.data?.roles ?? (guild.error ? null : undefined)}
            {...form.getInputProps('roleId')}
            value={form.values.roleId}
          />
          <Preview preview={preview} />
          <Group>
            <Button
              type="submit"
              leftSection={<IconUserCheck size={18} aria-hidden />}
              disabled={!data || data.failure !== null}
            >
              Give them the role
            </Button>
          </Group>
        </Stack>
      </form>
      <ConfirmDialog
        isDangerous
        opened={isAsking}
        onClose={asking.close}
        title="Give these members the verified role?"
        label="Give them the role"
        {...(roleName !== undefined && { word: roleName })}
        action={() =>
          api.createMassVerification({
            params: { id },
            body: { ...request, confirmRoleName: roleName },
          })
        }
        invalidates={[queryKeys.massVerifications(id)]}
      >
        {data && <Consequences preview={data} />}
      </ConfirmDialog>
    </Section>
  );
};

const lackingLabel = ({ matching, already, isComplete }: MassVerificationPreview): string =>
  `${isComplete ? '' : 'at least '}${plural(matching - already, 'member')}`;

const Preview = ({ preview }: { preview: UseQueryResult<MassVerificationPreview> }) => {
  const { data, error, isFetching } = preview;
  if (error) return <Note tone="warning">The members were not counted: {errorMessage(error)}</Note>;
  if (!data) {
    return (
      <Text size="sm" c="dimmed" role="status">
        Counting the members…
      </Text>
    );
  }
  if (data.failure !== null) return <Note tone="warning">{data.failure}</Note>;
  return (
    <Stack gap="xs">
      <Text size="sm" role="status" aria-busy={isFetching}>
        {lackingLabel(data)} would get the role{' '}
        <b>{data.roleName === null ? '' : isolatedName(data.roleName)}</b>;{' '}
        {formatCount(data.already)} have it already.
        {!data.isComplete && ' Only the first few thousand were counted.'}
      </Text>
      {data.dangerousPermissions.length > 0 && (
        <Note tone="danger" title="This role has dangerous permissions">
          Everybody who gets it could use them:{' '}
          {data.dangerousPermissions.map(permissionLabel).join(', ')}.
        </Note>
      )}
    </Stack>
  );
};

const Consequences = ({ preview }: { preview: MassVerificationPreview }) => (
  <List size="sm" spacing="xs">
    <List.Item>
      Gives the role to {lackingLabel(preview)}, one after the other, as fast as the platform
      allows.
    </List.Item>
    <List.Item>None of the checks of your verification is made for them.</List.Item>
    <List.Item>They are not in your list of members and cannot be brought back.</List.Item>
    <List.Item>You can stop it at any time; who has the role by then keeps it.</List.Item>
  </List>
);
