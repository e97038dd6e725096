import { Button, Grid, Paper, SimpleGrid, Stack } from '@mantine/core';
import { IconLifebuoy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Figure, Picture } from '../../components/display.tsx';
import { ServerStatus } from '../../components/health-badge.tsx';
import { Note, PageHead, TextLink } from '../../components/page.tsx';
import { SetupChecklist } from '../../components/setup-checklist.tsx';
import { useHashTarget } from '../../components/use-hash-target.ts';
import { formatCount } from '../../labels/format.ts';
import { isBroken } from '../../labels/health.ts';
import { nextStep, type SetupFacts, setupSteps } from '../../labels/setup-steps.ts';
import { panelsQuery } from '../../queries/panels.ts';
import type { Server } from '../../queries/records.ts';
import { useServer } from '../../queries/servers.ts';
import { DrillCard } from './drill-card.tsx';
import { HealthNote } from './health-note.tsx';
import { IncidentNote, useOpenIncidents } from './incident-note.tsx';
import { NewcomersCard, ProtectionCard, VerifyCard } from './newcomer-cards.tsx';
import { LastBackupCard, LastPullCard } from './recovery-cards.tsx';

export const ServerHome = () => {
  const server = useServer();
  const openIncidents = useOpenIncidents(server.id);
  const facts = useSetupFacts(server);
  const isUnderAttack = openIncidents.length > 0;
  const isKnown = server.health !== 'UNKNOWN';
  // One button stands out: of the incident, of the health, of the set-up, or this one.
  const isCalm = !isUnderAttack && server.health === 'GOOD' && facts !== undefined;
  const isBackupLeading = isCalm && nextStep(setupSteps(facts)) === undefined;
  useHashTarget();
  return (
    <>
      <PageHead
        title={server.name}
        description="Who is verified, and whether the server could be restored."
        picture={<Picture src={server.icon} radius="md" size={48} />}
        status={<ServerStatus health={server.health} openIncidents={openIncidents} />}
        actions={
          <>
            <RecoverButton server={server} />
            <Button
              component={Link}
              to={`/servers/${server.id}/backups`}
              variant={isBackupLeading ? 'filled' : 'default'}
            >
              Back up
            </Button>
          </>
        }
      />
      <Stack gap="md">
        <IncidentNote incidents={openIncidents} />
        {isKnown && <HealthNote server={server} isLeading={!isUnderAttack} />}
        {/* Nothing is shown until it is known which panels are posted: the list would jump. */}
        {facts && (
          <SetupChecklist
            afterwards={<MissingRoleNote server={server} />}
            serverName={server.name}
            facts={facts}
            isFolded={isUnderAttack}
          />
        )}
        {!isKnown && <HealthNote server={server} isLeading={false} />}
        <Counts server={server} />
        <Grid gap="md">
          <Grid.Col span={{ base: 12, lg: 7 }}>
            <Stack gap="md">
              <VerifyCard server={server} />
              <NewcomersCard serverId={server.id} />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 5 }}>
            <Stack gap="md">
              <ProtectionCard server={server} />
              <DrillCard serverId={server.id} />
              <LastBackupCard server={server} />
            </Stack>
          </Grid.Col>
        </Grid>
        <LastPullCard server={server} />
      </Stack>
    </>
  );
};

/** Undefined until it is known which panels are posted. */
const useSetupFacts = (server: Server): SetupFacts | undefined => {
  const { data: panels } = useQuery(panelsQuery(server.id));
  const { id, verifiedRoleId, logChannelId, backupSchedule, lastGoodBackupId } = server;
  return (
    panels && {
      hasBot: true,
      server: {
        id,
        hasVerifiedRole: verifiedRoleId !== null,
        hasLogChannel: logChannelId !== null,
        hasSchedule: backupSchedule !== null,
        hasBackup: lastGoodBackupId !== null,
        hasPostedPanel: panels.some(({ status }) => status === 'POSTED'),
      },
    }
  );
};

/** Also there when nothing was detected: its owner may know better. */
const RecoverButton = ({ server }: { server: Server }) => {
  const look = isBroken(server) ? { variant: 'outline', color: 'red' } : { variant: 'default' };
  return (
    <Button
      component={Link}
      to={`/servers/${server.id}/recover`}
      leftSection={<IconLifebuoy size={18} aria-hidden />}
      {...look}
    >
      Recover
    </Button>
  );
};

const Counts = ({ server: { memberCount, _count } }: { server: Server }) => (
  <Paper withBorder p="lg">
    <SimpleGrid cols={{ base: 2, sm: 4 }}>
      <Figure label="In the server" value={formatCount(memberCount)} />
      <Figure label="Verified" value={formatCount(_count.members)} />
      <Figure label="Can be brought back" value={formatCount(_count.pullableMembers)} />
      <Figure label="Backups" value={formatCount(_count.backups)} />
    </SimpleGrid>
  </Paper>
);

/** Without the role, verification has no effect on the platform. */
const MissingRoleNote = ({ server: { id, verifiedRoleId } }: { server: Server }) =>
  verifiedRoleId === null && (
    <Note tone="warning" title="Verified members get no role">
      Members are recorded, but they get no access on the platform.{' '}
      <TextLink to={`/servers/${id}/settings#role`} c="inherit">
        Choose the role in the settings
      </TextLink>
    </Note>
  );
