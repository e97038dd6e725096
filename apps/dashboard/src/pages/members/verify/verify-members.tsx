import { Button, Stack } from '@mantine/core';
import { IconUserCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Loaded } from '../../../components/list.tsx';
import { BackLink, Empty, Note, PageHead } from '../../../components/page.tsx';
import { isRunning } from '../../../labels/status.ts';
import { massVerificationsQuery } from '../../../queries/mass-verifications.ts';
import { useServer } from '../../../queries/servers.ts';
import { JobHistory, JobPanel } from './job-panel.tsx';
import { VerifyForm } from './verify-form.tsx';

export const VerifyMembers = () => {
  const { id, verifiedRoleId } = useServer();
  const jobs = useQuery(massVerificationsQuery(id));
  return (
    <>
      <BackLink to={`/servers/${id}/members`}>Members</BackLink>
      <PageHead
        title="Verify members who were there before"
        description="Gives the verified role to people who joined before you set up verification."
      />
      <Stack gap="lg">
        <Note title="These members cannot be brought back">
          They get the role and nothing else. They did not agree to be brought back after a loss:
          only people who verify themselves can agree to that. Share the verify link with them too.
        </Note>
        {verifiedRoleId === null ? (
          <NoRole serverId={id} />
        ) : (
          <Loaded query={jobs} height={320}>
            {({ data: [newest, ...older] }) => (
              <>
                {newest && <JobPanel job={newest} />}
                {!(newest && isRunning(newest)) && (
                  <VerifyForm key={newest?.id} lastEndedAt={newest?.completedAt ?? null} />
                )}
                {older.length > 0 && <JobHistory jobs={older} />}
              </>
            )}
          </Loaded>
        )}
      </Stack>
    </>
  );
};

const NoRole = ({ serverId }: { serverId: string }) => (
  <Empty
    icon={IconUserCheck}
    title="There is no verified role yet"
    action={
      <Button component={Link} to={`/servers/${serverId}/settings`}>
        Choose a role
      </Button>
    }
  >
    Choose the role that verified members get. Then you can give it to those who are there already.
  </Empty>
);
