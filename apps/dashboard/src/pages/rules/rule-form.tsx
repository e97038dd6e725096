import type { RuleType } from '@holdfast/contract';
import { Select, SimpleGrid, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { IconPlus } from '@tabler/icons-react';
import { ApiForm, inputFirst, useApiForm } from '../../components/form.tsx';
import { Section } from '../../components/page.tsx';
import { listCountries } from '../../labels/countries.ts';
import { ruleLabel, ruleTypeChoices, ruleTypeLabels } from '../../labels/rules.ts';
import type { Rule } from '../../queries/records.ts';
import { changedByRule, type RuleList } from '../../queries/rules.ts';
import { useServer } from '../../queries/servers.ts';

type RuleFormProps = { list: RuleList; mayAdd: boolean };
type RuleValues = { type: RuleType; value: string; note: string };

export const RuleForm = ({ list, mayAdd }: RuleFormProps) => {
  const { id } = useServer();
  const form = useApiForm<RuleValues, Rule>(
    { type: 'USER_ID', value: '', note: '' },
    ({ type, value, note }) => list.add(id, { type, value: value.trim(), note: note || null }),
    {
      message: (rule) => `The rule for ${ruleLabel(rule)} is active from now on.`,
      invalidates: changedByRule(id, list),
      onSuccess: () => form.setValues({ value: '', note: '' }),
    },
  );
  const { type, value } = form.values;
  const changeType = (chosen: RuleType | null) => {
    form.setValues({ value: '', ...(chosen && { type: chosen }) });
    form.clearErrors();
    form.action.reset();
  };
  return (
    <Section title="Add a rule">
      <ApiForm
        form={form}
        label="Add the rule"
        icon={<IconPlus size={16} aria-hidden />}
        isReady={mayAdd && value.trim() !== ''}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="md">
          <Select
            label="Type"
            inputWrapperOrder={inputFirst}
            description={ruleTypeLabels[type].about}
            data={ruleTypeChoices}
            value={type}
            onChange={changeType}
            allowDeselect={false}
            disabled={!mayAdd}
          />
          <RuleValue type={type} disabled={!mayAdd} field={form.getInputProps('value')} />
        </SimpleGrid>
        <TextInput
          label="Note"
          inputWrapperOrder={inputFirst}
          description="Why, for yourself and your helpers. Nobody else sees it."
          maxLength={500}
          disabled={!mayAdd}
          {...form.getInputProps('note')}
        />
      </ApiForm>
    </Section>
  );
};

const countryChoices = listCountries().map(({ code, name }) => ({
  value: code,
  label: `${name} (${code})`,
}));

type RuleValueProps = { type: RuleType; disabled: boolean; field: GetInputPropsReturnType };

/** A country is chosen from a list, every other value is typed. */
const RuleValue = ({ type, disabled, field }: RuleValueProps) => {
  const { value: label, example } = ruleTypeLabels[type];
  if (type === 'COUNTRY') {
    return (
      <Select
        label={label}
        inputWrapperOrder={inputFirst}
        description={`Type to search, for example ${example}`}
        data={countryChoices}
        searchable
        nothingFoundMessage="No such country"
        disabled={disabled}
        {...field}
        value={field.value || null}
        onChange={(code) => field.onChange(code ?? '')}
      />
    );
  }
  return (
    <TextInput
      label={label}
      inputWrapperOrder={inputFirst}
      description={`For example ${example}`}
      disabled={disabled}
      autoComplete="off"
      spellCheck={false}
      maxLength={256}
      {...field}
    />
  );
};
