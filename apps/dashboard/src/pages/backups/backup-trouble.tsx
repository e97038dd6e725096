import { Alert, Progress, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconClock } from '@tabler/icons-react';
import { sentence } from '../../parts/sentence.ts';
import { type BackupRecord, isUnderWay } from './backup-words.ts';

/** What an owner has to know about a backup before anything else. */
export const BackupTrouble = ({ backup }: { backup: BackupRecord }) => (
  <>
    {isUnderWay(backup) && (
      <Alert
        color="blue"
        title={backup.status === 'queued' ? 'It waits for its turn' : 'It is being made'}
        icon={<IconClock aria-hidden />}
      >
        <Stack gap="xs">
          <Text size="sm">You can leave this page; it goes on by itself.</Text>
          <Progress value={backup.progress} animated aria-label="How far the backup is" />
        </Stack>
      </Alert>
    )}
    {backup.status === 'failed' && (
      <Alert
        color="red"
        title="This backup could not be made"
        icon={<IconAlertTriangle aria-hidden />}
      >
        {sentence(backup.error ?? 'The reason is not known')} It holds nothing and can be deleted.
      </Alert>
    )}
    {backup.suspicious && (
      <Alert
        color="orange"
        title="The server may have been wrecked when this was taken"
        icon={<IconAlertTriangle aria-hidden />}
      >
        More than a third of the channels or roles were gone since the backup before. If that was
        not you, restore an older one. A suspicious backup never takes the place of a good one.
      </Alert>
    )}
    {backup.restorable === false && (
      <Alert
        color="red"
        title="A drill could not restore all of it"
        icon={<IconAlertTriangle aria-hidden />}
      >
        What was missing is listed below. Keep it for what it still holds, and make a new backup
        now.
      </Alert>
    )}
  </>
);
