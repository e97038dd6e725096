import { Radio, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Moment } from '../../components/display.tsx';
import { useSearchParameter } from '../../components/list.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Note, Section, TextLink } from '../../components/page.tsx';
import { backupTitle, lastGoodFirst } from '../../labels/backups.ts';
import { endSentence } from '../../labels/format.ts';
import { isBroken } from '../../labels/health.ts';
import type { BackupRecord, PullRecord, RestoreRecord, Server } from '../../queries/records.ts';
import { backupsQuery } from '../../queries/recovery.ts';
import { useServer } from '../../queries/servers.ts';
import { NewServer } from './new-server.tsx';
import { SameServer } from './same-server.tsx';

type ChooseStageProps = {
  last: RestoreRecord | undefined;
  attackId?: string;
  pulls: PullRecord[];
};

/** Where to, which backup, and what it does. All of it is chosen already: one button is enough. */
export const ChooseStage = ({ last, attackId, pulls }: ChooseStageProps) => {
  const { id } = useServer();
  const backups = useQuery(backupsQuery(id, { limit: 100 }));
  return (
    <>
      {last && <LastTry restore={last} />}
      {attackId !== undefined && <AttackSince attackId={attackId} />}
      <Loaded query={backups} height={400}>
        {({ data }) => <Choices backups={data.filter(isRestorable)} pulls={pulls} />}
      </Loaded>
    </>
  );
};

const isRestorable = ({ status }: BackupRecord): boolean => status === 'completed';

const lastTitles: Partial<Record<RestoreRecord['status'], string>> = {
  failed: 'The last restore failed',
  cancelled: 'The last restore was stopped',
};

/** Why the owner is here again. */
const LastTry = ({ restore: { id, serverId, status, error } }: { restore: RestoreRecord }) => (
  <Note tone="danger" title={lastTitles[status] ?? 'The server is damaged after the last restore'}>
    {error && endSentence(error)} What it did is kept. Try again below: what is there already is not
    made twice.{' '}
    <TextLink to={`/servers/${serverId}/restores/${id}`} c="inherit">
      Look at it
    </TextLink>
    {lastTitles[status] === undefined && (
      <>
        {', or '}
        <TextLink to={`?with=${id}`} c="inherit">
          go on to the members
        </TextLink>
      </>
    )}
    .
  </Note>
);

/** A repair takes back what the attackers did and nothing else; a restore goes back to a backup. */
const AttackSince = ({ attackId }: { attackId: string }) => {
  const { id } = useServer();
  return (
    <Note tone="danger" title="There was an attack since the last restore">
      <TextLink to={`/servers/${id}/incidents/${attackId}`} c="inherit">
        Look at the attack and repair it
      </TextLink>
      : that takes back only what the attackers did. Restore a backup below if that is not enough.
    </Note>
  );
};

type Place = 'same' | 'new';

/** A bot that was removed can come back to the same server; a guild that is gone cannot. */
const likelyPlace = ({ health, healthReasons }: Server): Place => {
  const isRemoved = healthReasons.some(({ code }) => code === 'BOT_REMOVED');
  return health === 'LOST' && !isRemoved ? 'new' : 'same';
};

type ChoicesProps = { backups: BackupRecord[]; pulls: PullRecord[] };

const Choices = ({ backups, pulls }: ChoicesProps) => {
  const server = useServer();
  const [search, setSearch] = useSearchParameter();
  const chosen = search.get('to');
  const place: Place = chosen === 'same' || chosen === 'new' ? chosen : likelyPlace(server);
  const offered = lastGoodFirst(backups, server.lastGoodBackupId);
  const backup = offered.find(({ id }) => id === search.get('backup')) ?? usualBackup(offered);
  return (
    <>
      <Section title="Where" padding="md">
        <PlaceChoice place={place} onChange={(value) => setSearch('to', value)} />
      </Section>
      <Section title="From which backup" padding="md">
        {backup ? (
          <BackupChoice
            backups={offered}
            chosen={backup}
            onChange={(id) => setSearch('backup', id)}
          />
        ) : (
          <NoBackup />
        )}
      </Section>
      {backup && place === 'same' && <SameServer backup={backup} pulls={pulls} />}
      {backup && place === 'new' && <NewServer backup={backup} />}
    </>
  );
};

/** The last good one comes first. Without one, the newest that was not taken of a wreck. */
const usualBackup = (offered: BackupRecord[]): BackupRecord | undefined =>
  offered.find(({ kind, suspicious }) => kind !== 'PRE_RESTORE' && !suspicious) ?? offered[0];

type PlaceChoiceProps = { place: Place; onChange: (place: string) => void };

const PlaceChoice = ({ place, onChange }: PlaceChoiceProps) => {
  const server = useServer();
  return (
    <Stack gap="md">
      {isBroken(server) && (
        <Text size="sm">{server.healthReasons.map(({ detail }) => detail).join(' ')}</Text>
      )}
      <Radio.Group aria-label="Where" value={place} onChange={onChange}>
        <Stack gap="sm">
          <Radio
            value="same"
            label="Into the same server"
            description="It is still there. What is missing is created, what is there stays."
          />
          <Radio
            value="new"
            label="Into a new server"
            description="The old one is gone, or no longer yours. Members, backups and rules move along."
          />
        </Stack>
      </Radio.Group>
    </Stack>
  );
};

type BackupChoiceProps = {
  backups: BackupRecord[];
  chosen: BackupRecord;
  onChange: (backupId: string | null) => void;
};

const BackupChoice = ({ backups, chosen, onChange }: BackupChoiceProps) => {
  const { lastGoodBackupId } = useServer();
  const labelOf = (backup: BackupRecord): string =>
    backup.id === lastGoodBackupId
      ? `Last good backup: ${backupTitle(backup)}`
      : backupTitle(backup);
  return (
    <Select
      label="Backup"
      description={
        <>
          Made <Moment at={chosen.createdAt} />
          {chosen.restorable === true && ', and its test restore passed'}
          {chosen.restorable === false &&
            ', and its test restore failed: choose another if you can'}
        </>
      }
      data={backups.map((backup) => ({ value: backup.id, label: labelOf(backup) }))}
      value={chosen.id}
      onChange={onChange}
      allowDeselect={false}
      maw={560}
    />
  );
};

const NoBackup = () => {
  const { id } = useServer();
  return (
    <Note tone="danger" title="There is no backup of this server">
      Channels and roles cannot be restored. Members can still be brought back:{' '}
      <TextLink to={`/servers/${id}/settings#move`} c="inherit">
        enter the new server in the settings
      </TextLink>{' '}
      if the old one is gone, then{' '}
      <TextLink to={`/servers/${id}/pulls`} c="inherit">
        bring the members back
      </TextLink>
      .
    </Note>
  );
};
