import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../../components/loaded.tsx';
import { BackLink, Note, PageHead } from '../../../components/page.tsx';
import { isRunning } from '../../../labels/status.ts';
import { massVerificationsQuery } from '../../../queries/mass-verifications.ts';
import { useServer } from '../../../queries/servers.ts';
import { ChooseRole } from './choose-role.tsx';
import { JobHistory, JobPanel } from './job-panel.tsx';
import { VerifyForm } from './verify-form.tsx';

export const VerifyMembers = () => {
  const { id, verifiedRoleId } = useServer();
  const jobs = useQuery(massVerificationsQuery(id));
  return (
    <>
      <BackLink to={`/servers/${id}/members`}>Members</BackLink>
      <PageHead
        title="Verify existing members"
        description="Gives the verified role to people who joined before you set up verification."
      />
      <Stack gap="lg">
        {verifiedRoleId === null ? (
          <ChooseRole />
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
        <Note title="These members cannot be brought back">
          They get the role and nothing else. They did not agree to be brought back after a loss:
          only people who verify themselves can agree to that. Share the verify link with them too.
        </Note>
      </Stack>
    </>
  );
};
