import { Anchor, Button, Group, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Moment } from '../../components/display.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Note, TextLink } from '../../components/page.tsx';
import { WarningList } from '../../components/warning-list.tsx';
import { endSentence, formatCount, plural } from '../../labels/format.ts';
import type { PullRecord, RestoreRecord } from '../../queries/records.ts';
import { restoreDetailsQuery } from '../../queries/recovery.ts';
import { useServer } from '../../queries/servers.ts';
import { PullFollowUp } from '../pulls/pull-follow-up.tsx';
import { PullProgress } from '../pulls/pull-progress.tsx';
import { RecallPanel } from '../pulls/recall-panel.tsx';
import { QuotaWait, RestoreProgress, StopRestore } from '../restores/restore.tsx';
import { LostMembers } from './lost-members.tsx';

export const RestoringStage = ({ restore }: { restore: RestoreRecord }) => {
  const { health } = useServer();
  return (
    <>
      {health === 'LOST' ? (
        <Note tone="danger" title="The server is gone while it is being restored">
          This restore cannot end well. Stop it, then go on with a new server here.
        </Note>
      ) : (
        <QuotaWait restore={restore} />
      )}
      <RestoreProgress restore={restore} />
      <Group gap="md">
        <StopRestore restore={restore} />
        <Text size="sm">
          Members come next. <RestoreLink restore={restore}>Look at every stage</RestoreLink>
        </Text>
      </Group>
    </>
  );
};

type RestoreLinkProps = { restore: RestoreRecord; children: string };

const RestoreLink = ({ restore: { id, serverId }, children }: RestoreLinkProps) => (
  <TextLink to={`/servers/${serverId}/restores/${id}`} c="inherit">
    {children}
  </TextLink>
);

type MembersStageProps = { restore: RestoreRecord; pulls: PullRecord[] };

export const MembersStage = ({ restore, pulls }: MembersStageProps) => {
  const details = useQuery(restoreDetailsQuery(restore));
  return (
    <>
      <RestoredNote restore={restore} />
      <Loaded query={details} height={120}>
        {({ backup }) => (
          <LostMembers since={backup?.createdAt ?? restore.createdAt} pulls={pulls} />
        )}
      </Loaded>
      <NextLinks restore={restore} />
    </>
  );
};

const RestoredNote = ({ restore }: { restore: RestoreRecord }) => {
  const { data: details } = useQuery(restoreDetailsQuery(restore));
  const isWhole = restore.status === 'completed';
  return (
    <>
      <Note
        tone={isWhole ? 'success' : 'warning'}
        title={isWhole ? 'The server is restored' : 'The server is restored, with exceptions'}
      >
        Restored <Moment at={restore.completedAt} isExact />
        {details?.backup && (
          <>
            , as in the backup of <Moment at={details.backup.createdAt} isExact />
          </>
        )}
        {isWhole ? '. ' : ', except for what is listed below. '}
        <RestoreLink restore={restore}>Look at the restore, or undo it</RestoreLink>
      </Note>
      <WarningList
        warnings={restore.warnings}
        title={isWhole ? undefined : 'What is missing or differs'}
      />
    </>
  );
};

/** A repair can be repeated: what is there already is left alone. */
const NextLinks = ({ restore }: { restore: RestoreRecord }) => {
  const { id, antiNukeEnabled, antiRaidEnabled } = useServer();
  const isProtected = antiNukeEnabled && antiRaidEnabled;
  return (
    <>
      <Afterwards />
      <Group gap="sm">
        {!isProtected && (
          <Button component={Link} to={`/servers/${id}/protection`}>
            Turn on protection
          </Button>
        )}
        <Button component={Link} to={`/servers/${id}`} variant={isProtected ? 'filled' : 'default'}>
          Server overview
        </Button>
        {/* Text without the padding of a button: on a phone it has a line of its own, and begins at its edge. */}
        <Anchor component={Link} to={`?after=${restore.id}`} size="sm" fw={600}>
          Recover again from another backup
        </Anchor>
      </Group>
    </>
  );
};

/** What keeps it from happening again, as far as it is not on. */
const Afterwards = () => {
  const { id, antiNukeEnabled, antiRaidEnabled, backupSchedule } = useServer();
  const isProtected = antiNukeEnabled && antiRaidEnabled;
  if (isProtected && backupSchedule !== null) return null;
  return (
    <Note tone="warning" title="So that it does not happen again">
      <List size="sm" spacing={4}>
        {!isProtected && (
          <List.Item>Attacks and raids are not stopped: turn on protection.</List.Item>
        )}
        {backupSchedule === null && (
          <List.Item>
            Automatic backups are off.{' '}
            <TextLink to={`/servers/${id}/settings#backups`} c="inherit">
              Switch them on
            </TextLink>
          </List.Item>
        )}
      </List>
    </Note>
  );
};

export const BringingStage = ({ pull }: { pull: PullRecord }) => (
  <>
    <PullProgress pull={pull} />
    <Text size="sm">
      <PullLink pull={pull}>All results, or stop it</PullLink>
    </Text>
  </>
);

const PullLink = ({ pull: { id, serverId }, children }: { pull: PullRecord; children: string }) => (
  <TextLink to={`/servers/${serverId}/pulls/${id}`} c="inherit">
    {children}
  </TextLink>
);

type DoneStageProps = { restore: RestoreRecord; pull: PullRecord };

export const DoneStage = ({ restore, pull }: DoneStageProps) => (
  <>
    <RestoredNote restore={restore} />
    <BroughtNote pull={pull} />
    <RecallPanel pull={pull} />
    <PullFollowUp pull={pull} />
    <NextLinks restore={restore} />
  </>
);

const BroughtNote = ({ pull }: { pull: PullRecord }) => {
  const { results, total, processed, status, error } = pull;
  const here = results.joined + results.alreadyMember;
  const isWhole = status === 'completed' && here === total;
  return (
    <Stack gap="md">
      <Note
        tone={isWhole ? 'success' : 'warning'}
        title={`${plural(results.joined, 'member')} came back`}
      >
        {status === 'completed'
          ? `${formatCount(here)} of ${formatCount(total)} are in the server now.`
          : `It ended before everybody was tried: ${formatCount(processed)} of ${formatCount(total)}. ${error ? endSentence(error) : ''}`}{' '}
        <PullLink pull={pull}>
          {status === 'completed' ? 'All results' : 'Open it, and resume it there'}
        </PullLink>
      </Note>
      <WarningList warnings={pull.warnings} title="What members did not get back" />
    </Stack>
  );
};
