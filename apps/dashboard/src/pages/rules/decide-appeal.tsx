import type { Entry, Input } from '@holdfast/sdk';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { api } from '../../api.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Name } from '../../parts/name.tsx';
import { useAct } from '../../parts/use-act.ts';
import { useServer } from '../../parts/use-server.ts';
import { AppealMessage } from './appeal-message.tsx';

export type Appeal = Entry<'listAppeals'>;
export type Decision = Input<'decideAppeal'>['body']['decision'];

const words: Record<Decision, { title: string; verb: string; done: string }> = {
  ACCEPT: { title: 'Let them in', verb: 'Let them in', done: 'They can verify now.' },
  REJECT: { title: 'Reject the appeal', verb: 'Reject', done: 'The appeal is rejected.' },
};

const meanings: Record<Decision, string> = {
  ACCEPT:
    'A whitelist rule for this person is added, and they can verify at once. Delete the rule to take it back. If they are blacklisted, they stay out until you take them off that list.',
  REJECT:
    'They stay out, and their page says so. They can try again and appeal again; blacklist them to end that.',
};

type DecideAppealProps = {
  wish: { appeal: Appeal; decision: Decision } | null;
  onClose: () => void;
};

/** Says what a decision means before it is made: it cannot be made twice. */
export const DecideAppeal = ({ wish, onClose }: DecideAppealProps) => (
  <Modal
    opened={wish !== null}
    onClose={onClose}
    title={wish ? words[wish.decision].title : ''}
    centered
  >
    {wish && <Question {...wish} onClose={onClose} />}
  </Modal>
);

type QuestionProps = { appeal: Appeal; decision: Decision; onClose: () => void };

const Question = ({ appeal, decision, onClose }: QuestionProps) => {
  const { id } = useServer();
  const decide = useAct(
    () => api.decideAppeal({ params: { id, appealId: appeal.id }, body: { decision } }),
    {
      done: words[decision].done,
      touches: [
        ['appeals', id],
        ['whitelist', id],
      ],
      isQuietOnError: true,
      onDone: onClose,
    },
  );
  return (
    <Stack gap="md">
      <Text size="sm">
        <Name>{appeal.username}</Name> wrote:
      </Text>
      <AppealMessage>{appeal.message}</AppealMessage>
      <Text size="sm">{meanings[decision]}</Text>
      {decide.error && <ErrorNote error={decide.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Not now
        </Button>
        <Button
          color={decision === 'REJECT' ? 'red' : undefined}
          loading={decide.isPending}
          onClick={() => decide.mutate()}
          data-autofocus
        >
          {words[decision].verb}
        </Button>
      </Group>
    </Stack>
  );
};
