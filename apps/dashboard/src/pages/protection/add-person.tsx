import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { Name, plainName } from '../../components/display.tsx';
import type { Protection } from '../../queries/records.ts';
import { membersQuery, useServer } from '../../queries/servers.ts';

type Person = Protection['trusted'][number];
type Choice = { value: string; label: string };
type AddPersonProps = { trusted: Person[]; onAdd: (person: Person) => void };

const pauseMs = 300;
const none: Choice = { value: '', label: '' };

/** Adds to the form: what is added takes effect when the form is saved. */
export const AddPerson = ({ trusted, onAdd }: AddPersonProps) => {
  const [chosen, setChosen] = useState(none);
  const [typed, setTyped] = useState('');
  const [note, setNote] = useState('');
  const choices = useChoices(typed, chosen);
  const isKnown = trusted.some(({ platformId }) => platformId === chosen.value);
  const isReady = chosen !== none && !isKnown;
  const add = () => {
    if (!isReady) return;
    onAdd({ platformId: chosen.value, note: note.trim() });
    setChosen(none);
    setTyped('');
    setNote('');
  };
  const choose = (platformId: string | null) => {
    const choice = choices.find(({ value }) => value === platformId) ?? none;
    setChosen(choice);
    if (note === '' && choice.label !== idLabel(choice.value)) setNote(choice.label);
  };
  return (
    <Group align="flex-end" gap="sm">
      <Select
        label="Person or bot"
        placeholder="Name or ID"
        data={choices}
        value={chosen === none ? null : chosen.value}
        onChange={choose}
        searchable
        searchValue={typed}
        onSearchChange={setTyped}
        // The service has searched already.
        filter={({ options }) => options}
        renderOption={({ option }) => <Name>{option.label}</Name>}
        nothingFoundMessage={
          typed === ''
            ? undefined
            : 'No verified member of that name. Others have to be given by ID.'
        }
        onKeyDown={keepFromSaving}
        error={isKnown && 'Is on the list'}
        flex={1}
        miw={200}
      />
      <TextInput
        label="Note"
        placeholder="Such as who it is"
        autoComplete="off"
        maxLength={500}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
        onKeyDown={(event) => {
          if (keepFromSaving(event)) add();
        }}
        flex={1}
        miw={200}
      />
      <Button variant="default" onClick={add} disabled={!isReady}>
        Trust
      </Button>
    </Group>
  );
};

/** Enter would save the whole form. */
const keepFromSaving = (event: KeyboardEvent): boolean => {
  if (event.key === 'Enter') event.preventDefault();
  return event.key === 'Enter';
};

const idLabel = (platformId: string): string => `ID ${platformId}`;

/** Verified members by name; whoever else it is, bots too, by what was typed as an ID. */
const useChoices = (typed: string, chosen: Choice): Choice[] => {
  const { id } = useServer();
  const [search] = useDebouncedValue(typed.trim().slice(0, 100), pauseMs);
  const { data } = useQuery({
    ...membersQuery(id, { sort: 'newest', search, page: 1 }),
    enabled: search !== '' && search !== chosen.label,
  });
  const members = (search === '' ? [] : (data?.data ?? [])).map((member) => ({
    value: member.platformId,
    label: plainName(member.username),
  }));
  const typedId = typed.trim();
  const isOther = /^\d{1,20}$/.test(typedId) && !members.some(({ value }) => value === typedId);
  const others = isOther ? [{ value: typedId, label: idLabel(typedId) }] : [];
  const all = [...(chosen === none ? [] : [chosen]), ...others, ...members];
  return all.filter(({ value }, at) => all.findIndex((other) => other.value === value) === at);
};
