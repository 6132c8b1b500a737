// The structure of the program: screens and their questions, which are selected, moved and added here.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { conditionText } from '../../../domain/definitions/condition-text.ts'
import { ancestors } from '../../../domain/definitions/definition-questions.ts'
import type {
  NamedCondition,
  ProgramDefinition,
  ScreenDefinition,
} from '../../../domain/definitions/program-definition.ts'
import { lackingInQuestion, lackingInScreen } from '../../../domain/languages/program-texts.ts'
import { questionKey } from '../../../domain/questions/question-key.ts'
import { drag } from '../fields/dragging.ts'
import { memo, useEditing } from '../fields/editing.tsx'
import { Handle, stepOf } from '../fields/handle.tsx'
import { withQuestion, withScreen } from '../model/adding.ts'
import { nameAt } from '../model/checking.ts'
import type { Edit } from '../model/editor-state.ts'
import { dropped, placeInWords, questionItem, screenInWords, screenItem, stepped } from '../model/moves.ts'

export function Structure({ marks, children }: { marks: ReadonlyMap<string, string>; children: ComponentChildren }) {
  const { document, selected, edit, select, say, focus } = useEditing()
  const moved = (to: ProgramDefinition, item: string, screen?: number): void => {
    if (to === document) return
    edit(to, screen === undefined ? {} : { selected: { of: 'screen', index: screen } })
    say(screen === undefined ? placeInWords(to, item.replace(/^question /, '')) : screenInWords(to, screen))
    focus(`handle ${screen === undefined ? item : screenItem(screen)}`)
  }
  const landed = (to: ProgramDefinition, item: string): void =>
    moved(
      to,
      item,
      item.startsWith('screen ') ? to.screens.indexOf(document.screens[Number(item.slice(7))]!) : undefined,
    )
  return (
    <nav class="structure" id="structure" aria-label="Structure">
      <button
        type="button"
        class="entry"
        aria-current={selected.of === 'program' ? 'true' : undefined}
        onClick={() => select({ of: 'program' })}
      >
        Name, languages and statuses
      </button>
      <p id="how-to-move" class="unseen">
        Drag, or press the up and down arrow keys.
      </p>
      <Screens
        marks={marks}
        onPointerDown={event =>
          drag(event, event.currentTarget, (from, to, isAfter) => landed(dropped(document, from, to, isAfter), from))
        }
        onKeyDown={event => {
          const by = stepOf(event)
          const item = (event.target as Element).closest<HTMLElement>('[data-item]')?.dataset.item
          if (by !== undefined && item !== undefined) landed(stepped(document, item, by), item)
        }}
        onClick={event => {
          const item = (event.target as Element).closest('.entry')?.closest<HTMLElement>('[data-item]')?.dataset.item
          if (item === undefined) return
          select(
            item.startsWith('screen ')
              ? { of: 'screen', index: Number(item.slice(7)) }
              : { of: 'question', name: item.slice(9) },
          )
        }}
      />
      <AddButtons />
      {children}
    </nav>
  )
}

function AddButtons() {
  const { document, selected, edit, focus, taken } = useEditing()
  const add = ({ to, selected }: Edit): void => {
    edit(to, { selected })
    focus('first-field')
  }
  return (
    <div class="actions">
      <button type="button" class="plain" onClick={() => add(withQuestion(document, selected, taken))}>
        + Question
      </button>
      <button type="button" class="plain" onClick={() => add(withScreen(document, selected))}>
        + Screen
      </button>
    </div>
  )
}

interface ScreensProps {
  marks: ReadonlyMap<string, string>
  onPointerDown: (event: PointerEvent & { currentTarget: HTMLElement }) => void
  onKeyDown: (event: KeyboardEvent) => void
  onClick: (event: MouseEvent) => void
}

function Screens({ marks, ...handlers }: ScreensProps) {
  const { document, selected, errors, second } = useEditing()
  const { questions, screens } = document
  const known = useMemo(() => new Map(questions.map(question => [question.admin_name, question])), [questions])
  const wrong = new Set(errors.map(({ path }) => nameAt(document, path) ?? /^\/screens\/\d+/.exec(path)?.[0]))
  const words = (condition: NamedCondition | null | undefined): string =>
    condition == null ? '' : `Shown if ${conditionText(condition, known)}`
  const keys = useKeys(screens)
  return (
    <ol class="screens-of" {...handlers}>
      {screens.map((screen, at) => (
        <li key={keys[at]}>
          <Item
            item={screenItem(at)}
            name={`${at + 1} · ${screen.name}`}
            isScreen
            small=""
            isStatic
            condition={words(screen.visible_when)}
            depth={0}
            isCurrent={selected.of === 'screen' && selected.index === at}
            isWrong={wrong.has(`/screens/${at}`)}
            missing={second === undefined ? 0 : lackingInScreen(screen, second)}
            mark=""
          />
          <ol>
            {screen.questions.map(({ question: name, visible_when }) => {
              const question = known.get(name)
              return (
                <li key={name}>
                  <Item
                    item={questionItem(name)}
                    name={question?.text || 'New question'}
                    isScreen={false}
                    small={name}
                    isStatic={question?.kind === 'STATIC'}
                    condition={words(visible_when)}
                    depth={question?.enumerator === undefined ? 0 : Math.min(4, ancestors(name, known).length - 1)}
                    isCurrent={selected.of === 'question' && selected.name === name}
                    isWrong={wrong.has(name)}
                    missing={second === undefined || question === undefined ? 0 : lackingInQuestion(question, second)}
                    mark={marks.get(name) ?? ''}
                  />
                </li>
              )
            })}
          </ol>
        </li>
      ))}
    </ol>
  )
}

/**
 * A key for each screen, which it keeps when screens are added, removed or moved: the object that it was first. Without one, adding a screen to a
 * program of 400 questions rendered the rows of all later screens again, which took 73 ms of CPU time.
 */
function useKeys(screens: readonly ScreenDefinition[]): readonly ScreenDefinition[] {
  const last = useRef([screens, screens] as const)
  const [before, keys] = last.current
  // An edited screen is another object in the same place.
  const isEdited = (at: number): boolean => before.length === screens.length && !screens.includes(before[at]!)
  if (before !== screens)
    last.current = [screens, screens.map((screen, at) => keys[isEdited(at) ? at : before.indexOf(screen)] ?? screen)]
  return last.current[1]
}

interface ItemProps {
  item: string
  name: string
  isScreen: boolean
  /** The admin name of a question. */
  small: string
  isStatic: boolean
  condition: string
  depth: number
  isCurrent: boolean
  isWrong: boolean
  /** Number of texts without a translation into the displayed language. */
  missing: number
  mark: string
}

const Item = memo(
  ({ item, name, isScreen, small, isStatic, condition, depth, isCurrent, isWrong, missing, mark }: ItemProps) => (
    <div class={`item depth-${depth}${isCurrent ? ' current' : ''}`} data-item={item}>
      <Handle id={`handle ${item}`} name={name} />
      <button
        type="button"
        class={isScreen ? 'entry heading-of' : 'entry'}
        aria-current={isCurrent ? 'true' : undefined}
      >
        <span dir="auto">{name}</span>
        {(small !== '' || mark !== '' || isWrong || missing > 0) && (
          <small>
            <code>{isStatic ? small : questionKey(small)}</code>
            {mark !== '' && <span class={`badge ${mark === 'new' ? 'good' : 'attention'}`}>{mark}</span>}
            {isWrong && <span class="badge bad">incomplete</span>}
            {missing > 0 && <span class="badge attention">{missing} missing</span>}
          </small>
        )}
        {condition !== '' && <small dir="auto">{condition}</small>}
      </button>
    </div>
  ),
)
