//! Gives built-ins that are guarded the context as the argument that they would have read it for.
//!
//! It must not know what a guard looks for.

use jsonata_core::ast::{AstNode, Stage};
use jsonata_core::value::with_stack;

/// Guarded built-ins, and with how many arguments they read the context.
const READ_CONTEXT: [(&str, usize); 10] = [
    ("pad", 1),
    ("formatInteger", 1),
    ("parseInteger", 1),
    ("replace", 2),
    ("fromMillis", 0),
    ("toMillis", 0),
    ("encodeUrl", 0),
    ("encodeUrlComponent", 0),
    ("decodeUrl", 0),
    ("decodeUrlComponent", 0),
];

/// Writes `$` where a call of such a built-in leaves its first argument out.
pub(super) fn pass_context(node: &mut AstNode) {
    with_stack(|| {
        if let AstNode::Function { name, args, .. } = node
            && READ_CONTEXT.contains(&(name.as_str(), args.len()))
        {
            args.insert(0, AstNode::Variable(String::new()));
        }
        below(node);
    });
}

fn all(nodes: &mut [AstNode]) {
    nodes.iter_mut().for_each(pass_context);
}

fn pairs(pairs: &mut [(AstNode, AstNode)]) {
    for (key, value) in pairs {
        pass_context(key);
        pass_context(value);
    }
}

fn below(node: &mut AstNode) {
    match node {
        AstNode::Path { steps } => {
            for step in steps {
                pass_context(&mut step.node);
                for stage in &mut step.stages {
                    if let Stage::Filter(filter) = stage {
                        pass_context(filter);
                    }
                }
            }
        }
        // What is piped into a call becomes its first argument.
        AstNode::Binary {
            op: jsonata_core::ast::BinaryOp::ChainPipe,
            lhs,
            rhs,
        } => {
            pass_context(lhs);
            below(rhs);
        }
        AstNode::Binary { lhs, rhs, .. } => {
            pass_context(lhs);
            pass_context(rhs);
        }
        AstNode::Unary { operand, .. } => pass_context(operand),
        AstNode::Function { args, .. } => all(args),
        AstNode::Call { procedure, args } => {
            pass_context(procedure);
            all(args);
        }
        AstNode::Lambda { body, .. } => pass_context(body),
        AstNode::Array(items) | AstNode::Block(items) | AstNode::ArrayGroup(items) => all(items),
        AstNode::Object(members) => pairs(members),
        AstNode::ObjectTransform { input, pattern } => {
            pass_context(input);
            pairs(pattern);
        }
        AstNode::Conditional {
            condition,
            then_branch,
            else_branch,
        } => {
            pass_context(condition);
            pass_context(then_branch);
            if let Some(branch) = else_branch {
                pass_context(branch);
            }
        }
        AstNode::FunctionApplication(inner) => pass_context(inner),
        AstNode::Sort { input, terms } => {
            pass_context(input);
            for (term, _) in terms {
                pass_context(term);
            }
        }
        AstNode::Transform {
            location,
            update,
            delete,
        } => {
            pass_context(location);
            pass_context(update);
            if let Some(delete) = delete {
                pass_context(delete);
            }
        }
        _ => {}
    }
}
