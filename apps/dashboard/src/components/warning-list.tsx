import { Button, List } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { formatCount, plural } from '../labels/format.ts';
import { sayPermissions } from '../labels/permissions.ts';
import { Name } from './display.tsx';
import { Note } from './page.tsx';

const shownAtFirst = 5;

type WarningListProps = { warnings: string[]; title?: string };

/** Warnings in full sentences. */
export const WarningList = ({ warnings, title }: WarningListProps) =>
  warnings.length > 0 && (
    <Note
      tone="warning"
      title={title ?? plural(warnings.length, 'thing to know', 'things to know')}
    >
      <Sentences sentences={warnings} />
    </Note>
  );

type NoteListProps = { notes: string[]; title?: string };

/** What is good to know, though nothing is lost by it. */
export const NoteList = ({ notes, title = 'Good to know' }: NoteListProps) =>
  notes.length > 0 && (
    <Note title={title}>
      <Sentences sentences={notes} />
    </Note>
  );

/** Of many only the first until the reader asks for all. */
const Sentences = ({ sentences }: { sentences: string[] }) => {
  const [isWhole, whole] = useDisclosure(false);
  const shown = isWhole ? sentences : sentences.slice(0, shownAtFirst);
  return (
    <>
      <List size="sm" spacing={4}>
        {shown.map((sentence) => (
          <List.Item key={sentence} style={{ overflowWrap: 'anywhere' }}>
            <Name>{sayPermissions(sentence)}</Name>
          </List.Item>
        ))}
      </List>
      {sentences.length > shownAtFirst && (
        <Button variant="subtle" size="compact-sm" mt="xs" onClick={whole.toggle}>
          {isWhole ? 'Show fewer' : `Show all ${formatCount(sentences.length)}`}
        </Button>
      )}
    </>
  );
};
