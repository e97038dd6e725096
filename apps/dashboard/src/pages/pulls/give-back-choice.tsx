import { Checkbox, Stack, Switch, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Moment, Name } from '../../components/display.tsx';
import { TextLink } from '../../components/page.tsx';
import { WarningList } from '../../components/warning-list.tsx';
import { errorMessage } from '../../labels/errors.ts';
import { permissionLabel } from '../../labels/permissions.ts';
import type { PullPreview } from '../../queries/records.ts';

type Choice = { restoreRoles: boolean; allowDangerousRoles: string[] };

type GiveBackProps = {
  serverId: string;
  preview: UseQueryResult<PullPreview>;
  choice: Choice;
  onChange: (choice: Partial<Choice>) => void;
};

/** Whether members get their roles and nicknames back, from which backup, and which dangerous ones. */
export const GiveBackChoice = ({ serverId, preview, choice, onChange }: GiveBackProps) => {
  const { restoreRoles, allowDangerousRoles } = choice;
  return (
    <Stack gap="sm">
      <Switch
        label="Give back roles and nicknames"
        description={<Source serverId={serverId} preview={preview} />}
        checked={restoreRoles}
        onChange={({ currentTarget }) => onChange({ restoreRoles: currentTarget.checked })}
      />
      {restoreRoles && preview.data && (
        <>
          <DangerousRoles
            roles={preview.data.dangerousRoles}
            chosen={allowDangerousRoles}
            onChange={(chosen) => onChange({ allowDangerousRoles: chosen })}
          />
          <WarningList warnings={preview.data.warnings} title="What members will not get back" />
        </>
      )}
    </Stack>
  );
};

const Source = ({ serverId, preview }: Pick<GiveBackProps, 'serverId' | 'preview'>) => {
  const { data, error } = preview;
  if (error) return <>The backup cannot be looked at now: {errorMessage(error)}</>;
  if (!data) return <>Looking for the newest good backup…</>;
  if (!data.backup)
    return <>There is no good backup with members yet, so there is nothing to give.</>;
  const { id, name, createdAt } = data.backup;
  return (
    <>
      As in the backup{' '}
      <TextLink to={`/servers/${serverId}/backups/${id}`}>
        <Name>{name}</Name>
      </TextLink>{' '}
      of <Moment at={createdAt} isExact />.
      {data.failure && ` The roles cannot be compared now: ${data.failure}`}
    </>
  );
};

type DangerousRolesProps = {
  roles: PullPreview['dangerousRoles'];
  chosen: string[];
  onChange: (chosen: string[]) => void;
};

/** Off unless the owner switches one on: whoever had it gets this power again. */
const DangerousRoles = ({ roles, chosen, onChange }: DangerousRolesProps) =>
  roles.length > 0 && (
    <Checkbox.Group
      label="Roles with dangerous permissions"
      description="These are not given back, unless you choose them here."
      value={chosen}
      onChange={onChange}
    >
      <Stack gap="xs" mt="xs">
        {roles.map(({ platformId, name, permissions }) => (
          <Checkbox
            key={platformId}
            value={platformId}
            label={<Name>{name}</Name>}
            description={<Text size="xs">{permissions.map(permissionLabel).join(', ')}</Text>}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
