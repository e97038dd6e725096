import { Group } from '@mantine/core';
import { Note, TextLink } from '../../components/page.tsx';
import { pullVerdict } from '../../labels/pulls.ts';
import type { PullRecord } from '../../queries/records.ts';

/** How a completed pull ended, in one sentence, and where to go from here. */
export const PullVerdict = ({ pull }: { pull: PullRecord }) => {
  const { status, total, results, targetServerId } = pull;
  if (status !== 'completed') return null;
  const missing = total - results.joined - results.alreadyMember;
  return (
    <Note tone={missing === 0 ? 'success' : 'warning'} title={pullVerdict(pull)}>
      {missing > 0 && 'The results below say why.'}
      <Group gap="md" mt={missing > 0 ? 'xs' : 0}>
        <TextLink to={`/servers/${targetServerId}/members`} c="inherit">
          See the members
        </TextLink>
        <TextLink to={`/servers/${targetServerId}`} c="inherit">
          Open the server
        </TextLink>
      </Group>
    </Note>
  );
};
