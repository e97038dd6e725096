import {
  ColorSwatch,
  Group,
  type InputWrapperProps,
  Radio,
  Select,
  Stack,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { allServersQuery } from '../queries/servers.ts';
import { Name, plainName } from './display.tsx';

type ServerSelectProps = {
  label: string;
  description?: string;
  value: string;
  onChange: (serverId: string) => void;
  error?: ReactNode;
};

/** One of the account's own servers. */
export const ServerSelect = ({ onChange, ...field }: ServerSelectProps) => {
  const { data } = useQuery(allServersQuery);
  return (
    <Select
      {...field}
      data={data?.data.map(({ id, name }) => ({ value: id, label: plainName(name) })) ?? []}
      renderOption={({ option }) => <Name>{option.label}</Name>}
      onChange={(serverId) => serverId && onChange(serverId)}
      allowDeselect={false}
      searchable
    />
  );
};

type Choice = { id: string; name: string; color?: string | null };

type GuildSelectProps = {
  label: string;
  description: string;
  /** Undefined while the platform is being asked, null where it did not answer. */
  choices: Choice[] | null | undefined;
  value: string | null;
  onChange: (id: string | null) => void;
  error?: ReactNode;
  /** There is no choosing none. */
  required?: boolean;
  /** Shown while nothing is chosen. */
  placeholder?: string;
  inputWrapperOrder?: InputWrapperProps['inputWrapperOrder'];
};

/** A role or channel, chosen by its name; typed as an ID where the names cannot be read. */
export const GuildSelect = (props: GuildSelectProps) => {
  const { choices, value, onChange, placeholder, ...field } = props;
  if (choices === null) {
    return (
      <TextInput
        {...field}
        label={`${field.label} (ID)`}
        value={value ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim() || null)}
        inputMode="numeric"
        autoComplete="off"
      />
    );
  }
  const existing = choices ?? [];
  const isMissing = value !== null && !existing.some(({ id }) => id === value);
  const missing = isMissing ? [{ id: value, name: 'Gone from the server' }] : [];
  const all: Choice[] = [...missing, ...existing];
  return (
    <Select
      {...field}
      data={all.map(({ id, name }) => ({ value: id, label: plainName(name) }))}
      // Until its name is known, an id says nothing.
      value={choices ? value : null}
      onChange={onChange}
      placeholder={
        choices ? (placeholder ?? (field.required ? 'Choose one' : 'None')) : 'Asking the platform…'
      }
      disabled={!choices}
      renderOption={({ option }) => (
        <Option choice={all.find(({ id }) => id === option.value)} label={option.label} />
      )}
      searchable
      clearable={!field.required}
      allowDeselect={!field.required}
      clearButtonProps={{ 'aria-label': `Choose no ${field.label.toLowerCase()}` }}
      nothingFoundMessage="None of that name"
    />
  );
};

const Option = ({ choice, label }: { choice: Choice | undefined; label: string }) => (
  <Group gap="xs" wrap="nowrap">
    {choice?.color !== undefined && (
      <ColorSwatch size={12} color={choice.color ?? 'var(--mantine-color-dimmed)'} aria-hidden />
    )}
    <Name>{label}</Name>
  </Group>
);

type RadioListProps<Value extends string> = {
  label: string;
  options: { value: Value; label: string; description: string; disabled?: boolean }[];
  value: Value;
  onChange: (value: Value) => void;
  error?: ReactNode;
};

/** One of a few options, each with an explanation. */
export const RadioList = <Value extends string>(props: RadioListProps<Value>) => {
  const { options, onChange, ...group } = props;
  const choose = (chosen: string) => {
    const option = options.find(({ value }) => value === chosen);
    if (option) onChange(option.value);
  };
  return (
    <Radio.Group {...group} onChange={choose}>
      <Stack gap="xs" mt={4}>
        {options.map((option) => (
          <Radio key={option.value} {...option} />
        ))}
      </Stack>
    </Radio.Group>
  );
};
