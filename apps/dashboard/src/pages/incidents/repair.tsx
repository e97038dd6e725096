import { Button, Group, Stack, Text } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api } from '../../api.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { Moment } from '../../components/display.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Note, Section, TextLink } from '../../components/page.tsx';
import { NoteList, WarningList } from '../../components/warning-list.tsx';
import { formatCount, formatDuration } from '../../labels/format.ts';
import { restoredSince } from '../../labels/incident-restores.ts';
import { attackersOf } from '../../labels/open-incidents.ts';
import { changedByIncident } from '../../queries/protection.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { Incident, RestorePlan, RestoreRecord } from '../../queries/records.ts';
import { restoresQuery } from '../../queries/recovery.ts';
import { PlanTree } from '../restores/plan-tree.tsx';
import { useObjectName } from './use-names.ts';

/** Where an incident can be repaired, and what that would do. */
export const useRepair = (incident: Incident) => {
  const { id, serverId, kind, status } = incident;
  // While somebody is at large, whether to repair all the same is the owner's decision.
  const isDecided = status !== 'open' || attackersOf(incident).unstopped > 0;
  const isRepairable = kind === 'NUKE' && status !== 'repaired' && isDecided;
  const restores = useQuery({ ...restoresQuery(serverId, newestRestores), enabled: isRepairable });
  const preview = useMutation({ mutationFn: () => api.planIncidentRepair({ params: { id } }) });
  return {
    isRepairable,
    /** The restore of the whole server that came after it, if there was one. */
    laterRestore: isRepairable ? restoredSince(incident, restores.data?.data ?? []) : undefined,
    preview,
    /** From the head of the page to what would be done. */
    showPlan: () => {
      document.getElementById(anchor)?.scrollIntoView();
      if (!preview.data) preview.mutate();
    },
  };
};

const anchor = 'repair';

type RepairProps = { incident: Incident; repair: ReturnType<typeof useRepair> };

/** Brings back what the attackers destroyed: what it would do first, then the button that does it. */
export const RepairIncident = ({ incident, repair }: RepairProps) => {
  const { isRepairable, laterRestore, preview } = repair;
  const { serverId, backupId, repairRestoreId } = incident;
  if (!isRepairable && repairRestoreId === null) return null;
  return (
    <Section title="Repair" anchor={anchor}>
      <Stack gap="md">
        {repairRestoreId !== null && (
          <Text size="sm">
            <TextLink to={`/servers/${serverId}/restores/${repairRestoreId}`}>
              The repair and what it did
            </TextLink>
          </Text>
        )}
        {isRepairable && (
          <>
            <Text size="sm">
              A repair brings back what was deleted, takes back what was changed or granted, and
              removes what was made by those who were stopped. What others did meanwhile stays.
              {laterRestore &&
                ' The server was restored since: look first whether anything is left.'}
            </Text>
            {backupId !== null && (
              <Text size="sm">
                It is made from{' '}
                <TextLink to={`/servers/${serverId}/backups/${backupId}`}>
                  the last good backup from before the attack
                </TextLink>
                , which is kept until then.
              </Text>
            )}
            <Group>
              <Button
                variant="default"
                loading={preview.isPending}
                onClick={() => preview.mutate()}
              >
                {preview.data ? 'Look again' : 'Show what a repair would do'}
              </Button>
            </Group>
            {preview.error && <ErrorNote error={preview.error} />}
            {preview.data && <RepairPlan incident={incident} plan={preview.data} />}
          </>
        )}
      </Stack>
    </Section>
  );
};

/** How many of the newest restores are looked through. */
const newestRestores = 10;

/** Beside the button that repairs: the damage may be mended already. */
export const RestoredSince = ({ restore }: { restore: RestoreRecord }) => (
  <Text span inherit display="block">
    The server{' '}
    <TextLink to={`/servers/${restore.serverId}/restores/${restore.id}`}>was restored</TextLink>{' '}
    since then (
    <Moment at={restore.completedAt ?? restore.createdAt} isExact />
    ).
  </Text>
);

const RepairPlan = ({ incident, plan }: { incident: Incident; plan: RestorePlan }) => {
  const navigate = useNavigate();
  const objectName = useObjectName();
  const { id, serverId } = incident;
  if (plan.calls === 0) {
    return (
      <Note tone="success" title="There is nothing to repair">
        Nothing is left of what the attackers did.
      </Note>
    );
  }
  return (
    <Stack gap="md">
      <Text role="status">About {formatDuration(plan.estimatedSeconds)}.</Text>
      <WarningList warnings={plan.warnings} title="Read this before you continue" />
      <NoteList notes={plan.notes} />
      <PlanTree plan={plan} nameOf={objectName} />
      <Group>
        <ConfirmButton
          isDangerous
          button={{ children: 'Repair', leftSection: <IconTool size={18} aria-hidden /> }}
          title="Repair the damage?"
          label="Repair"
          action={() => api.repairIncident({ params: { id } })}
          message="The repair has started."
          invalidates={[...changedByIncident(serverId, id), queryKeys.restores(serverId)]}
          onSuccess={(restore) => navigate(`/servers/${serverId}/restores/${restore.id}`)}
        >
          <Text size="sm">
            {formatCount(plan.create.length)} created, {formatCount(plan.update.length)} changed,{' '}
            {formatCount(plan.delete.length)} deleted. A safety backup is made first, so that the
            repair can be undone.
          </Text>
        </ConfirmButton>
      </Group>
    </Stack>
  );
};
