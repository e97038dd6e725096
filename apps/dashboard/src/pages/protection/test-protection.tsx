import { Button, Group, List, Loader, Modal, Stack, Text, ThemeIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  type Icon,
  IconCheck,
  IconQuestionMark,
  IconShieldSearch,
  IconX,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Name } from '../../components/display.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { sayPermissions } from '../../labels/permissions.ts';
import { type Check, checksOf } from '../../labels/protection-checks.ts';
import { protectionQuery } from '../../queries/protection.ts';

/** Asks the platform anew what the bot can do, and shows it check by check. */
export const TestProtection = ({ serverId }: { serverId: string }) => {
  const [isOpen, dialog] = useDisclosure(false);
  const { refetch, data, error } = useQuery(protectionQuery(serverId));
  // Not `isFetching`: the page reads the settings again for other reasons too.
  const [isTesting, setTesting] = useState(false);
  const test = async () => {
    dialog.open();
    setTesting(true);
    await refetch();
    setTesting(false);
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconShieldSearch size={18} aria-hidden />}
        onClick={test}
      >
        Test protection
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title="Test protection" centered size="lg">
        <Stack gap="md">
          {isTesting && (
            <Group gap="sm" role="status">
              <Loader size="sm" aria-hidden />
              <Text size="sm">Asking the platform…</Text>
            </Group>
          )}
          {!isTesting && error && <ErrorNote error={error} onRetry={test} />}
          {!isTesting && !error && data && <Checks checks={checksOf(data.cannotStop)} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={test} disabled={isTesting}>
              Test again
            </Button>
            <Button onClick={dialog.close}>Close</Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
};

const Checks = ({ checks }: { checks: Check[] }) => {
  const passed = checks.filter(({ state }) => state === 'passed').length;
  return (
    <Stack gap="md">
      <Text role="status" fw={600}>
        {passed === checks.length
          ? 'Passed: the bot can do everything that protection needs.'
          : `${passed} of ${checks.length} checks passed.`}
      </Text>
      <List listStyleType="none" spacing="sm">
        {checks.map(({ label, state, problems }) => (
          <List.Item key={label} icon={<CheckIcon state={state} />}>
            <Text size="sm" fw={500}>
              {label}: {answers[state].text}
            </Text>
            {problems.map((problem) => (
              <Text key={problem} size="sm">
                <Name>{sayPermissions(problem)}</Name>
              </Text>
            ))}
          </List.Item>
        ))}
      </List>
      <Text size="sm" c="dimmed">
        The test changes nothing on the platform.
      </Text>
    </Stack>
  );
};

const answers = {
  passed: { text: 'yes', color: 'green.8', icon: IconCheck },
  failed: { text: 'no', color: 'red', icon: IconX },
  unknown: { text: 'not tested', color: 'gray', icon: IconQuestionMark },
} satisfies Record<Check['state'], { text: string; color: string; icon: Icon }>;

const CheckIcon = ({ state }: Pick<Check, 'state'>) => {
  const { color, icon: Glyph } = answers[state];
  return (
    <ThemeIcon size={24} radius="xl" color={color} aria-hidden>
      <Glyph size={16} />
    </ThemeIcon>
  );
};
