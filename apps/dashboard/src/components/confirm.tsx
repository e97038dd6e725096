import { Button, type ButtonProps, Group, Modal, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { isSameName, Name } from './display.tsx';
import { ApiForm, useApiForm } from './form.tsx';
import { CodeInput, useFreshCode } from './fresh-code.tsx';
import { Section } from './page.tsx';
import type { ActionOptions } from './use-action.ts';

type ConfirmProps<Result> = Omit<ActionOptions<Result>, 'onError'> & {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** What will happen, and what cannot be undone. */
  children: ReactNode;
  /** What the button says, as a verb: "Delete the server". */
  label: string;
  color?: string;
  /** Has to be typed before anything happens, such as the server's name. */
  word?: string;
  /** It destroys something or moves money: accounts with a second factor give a fresh code. */
  isDangerous?: boolean;
  action: () => Promise<Result>;
};

/** Asks before something is done. */
export const ConfirmDialog = <Result,>(props: ConfirmProps<Result>) => (
  <Modal opened={props.opened} onClose={props.onClose} title={props.title} centered>
    {props.opened && <ConfirmForm {...props} />}
  </Modal>
);

const ConfirmForm = <Result,>(props: ConfirmProps<Result>) => {
  const { onClose, children, word, label, color, isDangerous = false, action } = props;
  const { message, invalidates, onSuccess } = props;
  const freshCode = useFreshCode();
  const form = useApiForm(
    { typed: '', code: '' },
    async ({ code }) => {
      if (isDangerous) await freshCode.confirm(code);
      return action();
    },
    {
      ...{ message, invalidates },
      onSuccess: (result) => {
        onClose();
        onSuccess?.(result);
      },
    },
  );
  const { typed, code } = form.values;
  const isTyped = word === undefined || isSameName(typed, word);
  return (
    <ApiForm
      form={form}
      label={label}
      color={color ?? (isDangerous ? 'red' : undefined)}
      isReady={isTyped && (!isDangerous || freshCode.isReady(code))}
      onCancel={onClose}
      errorTitle="That did not work"
    >
      <Text component="div" size="sm">
        {children}
      </Text>
      {word !== undefined && (
        <TextInput
          label={
            <>
              Type <Name>{word}</Name> to go on
            </>
          }
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('typed')}
        />
      )}
      {isDangerous && freshCode.isNeeded && <CodeInput {...form.getInputProps('code')} />}
    </ApiForm>
  );
};

type ConfirmButtonProps<Result> = Omit<ConfirmProps<Result>, 'opened' | 'onClose'> & {
  button: ButtonProps;
};

/** A button that asks before it acts. */
export const ConfirmButton = <Result,>({ button, ...dialog }: ConfirmButtonProps<Result>) => {
  const [isAsking, asking] = useDisclosure(false);
  return (
    <>
      <Button {...button} onClick={asking.open} />
      <ConfirmDialog opened={isAsking} onClose={asking.close} {...dialog} />
    </>
  );
};

type DangerSectionProps<Result> = Omit<ConfirmButtonProps<Result>, 'button' | 'isDangerous'> & {
  note: string;
};

/** Deletes the subject of a page; what is lost is listed in the dialog. */
export const DangerSection = <Result,>({ note, ...dialog }: DangerSectionProps<Result>) => (
  <Section title={dialog.label}>
    <Group justify="space-between" gap="md">
      <Text size="sm" flex={1} miw={220}>
        {note}
      </Text>
      <ConfirmButton
        {...dialog}
        isDangerous
        button={{ color: 'red', variant: 'outline', children: dialog.label }}
      />
    </Group>
  </Section>
);

type StopButtonProps = Pick<ConfirmProps<unknown>, 'label' | 'children' | 'action'>;

/** Stopping a job takes two presses, so that none is stopped by accident. */
export const StopButton = (props: StopButtonProps) => {
  const [isStopping, setIsStopping] = useState(false);
  const text = isStopping ? 'Stopping…' : props.label;
  return (
    <ConfirmButton
      {...props}
      button={{ variant: 'default', disabled: isStopping, children: text }}
      title={`${props.label}?`}
      color="red"
      message="It stops as soon as it can."
      onSuccess={() => setIsStopping(true)}
    />
  );
};
