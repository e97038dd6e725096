import { Button, List } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { formatCount, plural } from '../labels/format.ts';
import { Name } from './display.tsx';
import { Note } from './page.tsx';

const shownAtFirst = 5;

type WarningListProps = { warnings: string[]; title?: string };

/** Warnings in full sentences; of many only the first until the reader asks for all. */
export const WarningList = ({ warnings, title }: WarningListProps) => {
  const [isWhole, whole] = useDisclosure(false);
  if (warnings.length === 0) return null;
  const shown = isWhole ? warnings : warnings.slice(0, shownAtFirst);
  return (
    <Note
      tone="warning"
      title={title ?? plural(warnings.length, 'thing to know', 'things to know')}
    >
      <List size="sm" spacing={4}>
        {shown.map((warning) => (
          <List.Item key={warning} style={{ overflowWrap: 'anywhere' }}>
            <Name>{warning}</Name>
          </List.Item>
        ))}
      </List>
      {warnings.length > shownAtFirst && (
        <Button variant="subtle" size="compact-sm" mt="xs" onClick={whole.toggle}>
          {isWhole ? 'Show fewer' : `Show all ${formatCount(warnings.length)}`}
        </Button>
      )}
    </Note>
  );
};
