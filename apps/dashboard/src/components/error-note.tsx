import { HoldfastError } from '@holdfast/sdk';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { errorMessage } from '../labels/errors.ts';

type ErrorNoteProps = { error: unknown; title?: string; onRetry?: () => void };

export const ErrorNote = ({ error, title = 'That did not work', onRetry }: ErrorNoteProps) => (
  <Alert
    color="red"
    variant="light"
    title={title}
    icon={<IconAlertTriangle aria-hidden />}
    role="alert"
  >
    <Stack gap="xs">
      <Text size="sm">{errorMessage(error)}</Text>
      {error instanceof HoldfastError && error.kind === 'failure' && error.requestId && (
        <Text size="xs" c="dimmed">
          Request {error.requestId}
        </Text>
      )}
      {onRetry && (
        <Group>
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </Group>
      )}
    </Stack>
  </Alert>
);
