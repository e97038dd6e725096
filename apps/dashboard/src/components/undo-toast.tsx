import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { errorMessage } from '../labels/errors.ts';

/** Long enough to read it and to reach the button by keyboard. */
const shownMs = 12_000;

/** Tells what was done, and takes it back on request. */
export const showUndoToast = (message: string, undo: () => Promise<unknown>): void => {
  const id = notifications.show({
    ...{ color: 'tide', autoClose: shownMs },
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="light"
          onClick={() => {
            notifications.hide(id);
            takeBack(undo);
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  });
};

const takeBack = (undo: () => Promise<unknown>): Promise<unknown> =>
  undo().then(
    () => notifications.show({ message: 'It is as before.', color: 'tide' }),
    (error: unknown) =>
      notifications.show({
        ...{ title: 'It could not be undone', message: errorMessage(error), color: 'red' },
      }),
  );
