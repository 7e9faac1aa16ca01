import { Button, Textarea } from '@mantine/core';
import { BookText, History, type LucideIcon, WandSparkles } from 'lucide-react';
import { type ReactNode, type Ref, useId } from 'react';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import { workbenchTexts } from '#app/locales/workbench.ts';
import classes from './composer.module.css';

export type PromptTool = 'history' | 'templates' | 'improve';

const ICONS: Readonly<Record<PromptTool, LucideIcon>> = {
  history: History,
  templates: BookText,
  improve: WandSparkles,
};

type PromptFieldProps = {
  id: string;
  name: string;
  label: string;
  /** A sentence below the label. */
  description?: string;
  placeholder: string;
  rows: number;
  defaultValue: string | undefined;
  /** Characters as trimmed, and how many there may be. */
  length: number;
  most: number;
  error: string | undefined;
  inputRef: Ref<HTMLTextAreaElement>;
  /** What helps with writing; nothing before the scripts are there. */
  tools?: readonly PromptTool[];
  onTool?: (tool: PromptTool) => void;
  /** How it is sent by keyboard. */
  hint: ReactNode;
  /** What became of the text, in the place of the hint. */
  note?: ReactNode;
};

/** What shall be made, in words: the text, what helps to write it, and how long it is. */
export function PromptField(props: PromptFieldProps) {
  const t = useT(workbenchTexts);
  const format = useFormat();
  const hydrated = useHydrated();
  const labelId = useId();
  const { id, length, most, tools = [] } = props;
  const tooLong = length > most;
  return (
    <div>
      <div className={classes.promptHead}>
        <label id={labelId} htmlFor={id} className={classes.label}>
          {props.label}
        </label>
        {tools.length > 0 ? (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset would be for inputs
          <div role="group" aria-label={t('prompt.tools')} className={classes.promptTools}>
            {tools.map((tool) => {
              const Icon = ICONS[tool];
              return (
                <Button
                  key={tool}
                  variant="subtle"
                  color="gray"
                  size="compact-sm"
                  leftSection={<Icon size={13} aria-hidden />}
                  disabled={!hydrated}
                  aria-haspopup="dialog"
                  onClick={() => props.onTool?.(tool)}
                >
                  {t(`prompt.${tool}`)}
                </Button>
              );
            })}
          </div>
        ) : null}
      </div>
      <Textarea
        ref={props.inputRef}
        id={id}
        name={props.name}
        aria-labelledby={labelId}
        description={props.description}
        placeholder={props.placeholder}
        defaultValue={props.defaultValue}
        rows={props.rows}
        required
        error={props.error ?? (tooLong ? t('prompt.tooLong') : undefined)}
        classNames={{ input: classes.prompt }}
      />
      <div className={classes.counter} data-over={tooLong || undefined}>
        <span role="status" className={classes.note}>
          {props.note}
        </span>
        {props.note ? null : <span className={classes.keyHint}>{props.hint}</span>}
        <span className={classes.count}>
          {format.integer(length)} / {format.integer(most)}
          <span className={classes.hidden}> {t('prompt.characters')}</span>
        </span>
      </div>
    </div>
  );
}
