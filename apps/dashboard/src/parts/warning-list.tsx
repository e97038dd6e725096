import { Alert, Button, List } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertCircle } from '@tabler/icons-react';
import { Name } from './name.tsx';
import { countWords, plural } from './words.ts';

const shownAtFirst = 5;

type WarningListProps = { warnings: string[]; title?: string };

/** Sentences somebody should read; of many only the first until more are asked for. */
export const WarningList = ({ warnings, title }: WarningListProps) => {
  const [isWhole, whole] = useDisclosure(false);
  if (warnings.length === 0) return null;
  const shown = isWhole ? warnings : warnings.slice(0, shownAtFirst);
  return (
    <Alert
      color="yellow"
      title={title ?? plural(warnings.length, 'thing to know', 'things to know')}
      icon={<IconAlertCircle aria-hidden />}
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
          {isWhole ? 'Show fewer' : `Show all ${countWords(warnings.length)}`}
        </Button>
      )}
    </Alert>
  );
};
